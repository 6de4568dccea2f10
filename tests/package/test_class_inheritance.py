"""A class is abstract or final: no class inherits from a concrete one."""

import importlib
import inspect
import pkgutil

import dovetail

BASES = {
    "core.block.Part",
    "core.clock.EqualSteps",
    "core.random.Random",
    "core.methods.runge_kutta.RungeKutta",
}  # never built themselves


def heirs() -> dict[str, str]:
    """Classes that inherit from a concrete class of ours which has methods, with that class."""
    found = {}
    for module in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
        for cls in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(cls) and cls.__module__ == module.name:
                found |= {_name(cls): _name(base) for base in cls.__bases__ if _concrete(base)}
    return found


def _concrete(cls: type) -> bool:
    ours = cls.__module__.startswith("dovetail.") and not cls.__name__.startswith("_")
    behaves = any(inspect.isfunction(value) for name, value in vars(cls).items() if not name.startswith("__"))
    promise = inspect.isabstract(cls) or getattr(cls, "_is_protocol", False)
    return ours and behaves and not promise and _name(cls) not in BASES


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__name__}".removeprefix("dovetail.")


def test_no_class_inherits_behaviour_from_a_concrete_one():
    offences = [
        f"{name} inherits from {base}: write what both share as an abstract class"
        for name, base in heirs().items()
    ]
    assert not offences, "\n".join(offences)
