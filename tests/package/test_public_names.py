"""Listed names can be imported, and one name means one class."""

import importlib
import inspect
import pkgutil

import dovetail

PACKAGES = [
    "dovetail",
    *sorted(m.name for m in pkgutil.walk_packages(dovetail.__path__, "dovetail.") if m.ispkg),
]
MODULES = sorted(m.name for m in pkgutil.walk_packages(dovetail.__path__, "dovetail."))


def test_every_package_has_its_listed_public_names():
    wrong = []
    for name in PACKAGES:
        package = importlib.import_module(name)
        listed = getattr(package, "__all__", None)
        if not isinstance(listed, list):
            wrong.append(f"{name} lists no public names")
            continue
        wrong += [f"{name}.{public} is listed twice" for public in set(listed) if listed.count(public) > 1]
        wrong += [
            f"{name}.{public} is listed and missing" for public in listed if not hasattr(package, public)
        ]
    assert not wrong, "\n".join(wrong)


def test_every_module_has_a_docstring():
    silent = [name for name in MODULES if len((importlib.import_module(name).__doc__ or "").split()) < 2]
    assert not silent, f"no docstring: {', '.join(silent)}"


def _ours() -> dict[str, object]:
    """Public classes and functions by where they are defined."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for name, value in vars(module).items():
            is_ours = getattr(value, "__module__", "") == module.__name__
            if is_ours and not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value)):
                found[f"{module.__name__}.{name}"] = value
    return found


def test_every_public_class_and_function_has_a_docstring():
    silent = [where for where, value in _ours().items() if not _documented(value)]
    assert not silent, "\n".join(silent)


def _documented(value: object) -> bool:
    """A docstring of its own; what a dataclass writes for itself (its signature) does not count."""
    docstring = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
    return bool(docstring) and not docstring.startswith(f"{value.__name__}(")


def test_one_public_name_is_one_class():
    """A reader who meets a name knows which class it is, in whatever room."""
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            if inspect.isclass(value) and value.__module__ == module and not name.startswith("_"):
                places.setdefault(value.__name__, []).append(module)
    twice = [f"{name}: {', '.join(found)}" for name, found in places.items() if len(set(found)) > 1]
    assert not twice, "\n".join(twice)
