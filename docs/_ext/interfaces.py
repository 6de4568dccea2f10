"""The interfaces of a room, from the source: classes that leave something to their author, and protocols."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import dovetail

GREEK = {"Lambda": "\u039b", "pi": "\u03c0", "sigma": "\u03c3"}


def interfaces(room: str) -> dict[str, type]:
    """Abstract classes and protocols of a room, by where they are."""
    package = importlib.import_module(f"dovetail.{room}")
    found = {}
    for module in pkgutil.walk_packages(package.__path__, f"dovetail.{room}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            own = inspect.isclass(value) and value.__module__ == module.name and not name.startswith("_")
            if own and written(value):
                found[f"{module.name}.{name}"] = value
    return found


def written(cls: type) -> list[str]:
    """Return the methods to implement: abstract methods of a class, all methods of a protocol."""
    protocol = (
        {*vars(cls), *vars(cls).get("__annotations__", {})} if getattr(cls, "_is_protocol", False) else ()
    )
    names = sorted({*getattr(cls, "__abstractmethods__", ()), *protocol})
    return [name for name in names if not name.startswith("_") or name == "__call__"]


def rooms() -> list[str]:
    """Rooms that have interfaces."""
    packages = (m.name.split(".")[1] for m in pkgutil.iter_modules(dovetail.__path__, "dovetail.") if m.ispkg)
    return [room for room in packages if room != "studio" and interfaces(room)]


def interface_table(room: str) -> Iterator[tuple[str, ...]]:
    """The rows of a room's table."""
    yield "interface", "what it is", "what an author writes"
    for where, cls in sorted(interfaces(room).items()):
        yield where.removeprefix("dovetail."), _about(cls), ", ".join(written(cls))


def _about(cls: type) -> str:
    """The first line of a docstring, in which a letter of a formula is a letter."""
    about = re.sub(r":math:`([^`]*)`", r"\1", inspect.getdoc(cls).splitlines()[0].rstrip("."))
    return re.sub(r"\\(\w+)", lambda found: GREEK.get(found[1], found[1]), about.replace("`", ""))


def public_table() -> Iterator[tuple[str, ...]]:
    """Yield the public names of each package."""
    yield "from", "names"
    for name in ("dovetail", *(f"dovetail.{room}" for room in sorted(public_rooms()))):
        listed = importlib.import_module(name).__all__
        yield name, ", ".join(n for n in listed if not n.startswith("_"))


def public_rooms() -> list[str]:
    """Rooms that `import dovetail` finds."""
    return [name for name in dovetail.__all__ if inspect.ismodule(getattr(dovetail, name))]
