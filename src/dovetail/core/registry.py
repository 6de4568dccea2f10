"""The names under which parts appear in test files: `kind = "delay"`.

A part registers itself with `@kind("delay")`; a test file then finds it. The part's role (what slot of a
test it may fill) is that of its base class, so nothing is said twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from dovetail.core.errors import UnknownNameError

_kinds: dict[str, type] = {}
T = TypeVar("T", bound=type)


def kind(name: str) -> Callable[[T], T]:
    """Class decorator: let test files call this part `name`."""

    def register(cls: T) -> T:
        other = _kinds.get(name)
        if other is not None and other.__qualname__ != cls.__qualname__:
            raise ValueError(f'the kind "{name}" is taken by {other.__qualname__}')
        _kinds[name] = cls
        return cls

    return register


def kinds(base: type | tuple[type, ...] = object) -> dict[str, type]:
    """All registered parts that are of `base`, by name."""
    return {name: cls for name, cls in sorted(_kinds.items()) if issubclass(cls, base)}


def find(name: str, base: type | tuple[type, ...] = object) -> type:
    """The part called `name`; an unknown name lists the known ones."""
    known: Iterable[str] = kinds(base)
    if name not in known:
        raise UnknownNameError("kind", name, known)
    return _kinds[name]


def name_of(cls: type) -> str | None:
    """The name of a part's class, or None if it has not got one."""
    return next((name for name, known in _kinds.items() if known is cls), None)
