"""The names under which parts appear in test files: `kind = "delay"`.

A part registers itself with `@kind("delay")`; a test file then finds it. The part's role (what slot of a
test it may fill) is that of its base class, so nothing is said twice.

Parts of the studies and of other packages are found too: they are imported when a file uses a name that is not
known yet. A package names the module that registers them in its metadata, as an entry point of the group
`dovetail.parts`; for the studies it is `STUDIES`, since this room may not import them. A kind with a colon is a class
in a file that the user brought (see `brought`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from dovetail.core import brought
from dovetail.core.errors import UnknownNameError

GROUP = "dovetail.parts"  # entry points: modules of other packages that register parts

STUDIES = "dovetail.studies.parts"

_kinds: dict[str, type] = {}
_loaded: set[str] = set()  # names of the entry points that were imported
T = TypeVar("T", bound=type)


def kind(name: str) -> Callable[[T], T]:
    """Class decorator: let test files call this part `name`."""

    def register(cls: T) -> T:
        other = _kinds.get(name)
        if other is not None and (
            other.__qualname__ != cls.__qualname__ or (_ours(other) and not _ours(cls))
        ):
            raise ValueError(f'the kind "{name}" is taken by {other.__qualname__}')
        _kinds[name] = cls
        return cls

    return register


def _ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "dovetail"


def kinds(base: type | tuple[type, ...] = object) -> dict[str, type]:
    """All registered parts that are of `base`, by name."""
    every = {**_kinds, **brought.kinds()}
    return {name: cls for name, cls in sorted(every.items()) if issubclass(cls, base)}


def all_kinds() -> dict[str, type]:
    """Every registered part, those of the studies and of other packages too."""
    _load_others()
    return kinds()


def find(name: str, base: type | tuple[type, ...] = object) -> type:
    """The part called `name`; an unknown name lists the known ones."""
    if ":" in name:
        return brought.find(name, base)
    known: Iterable[str] = kinds(base)
    if name not in known:
        _load_others()
        known = kinds(base)
    if name not in known:
        raise UnknownNameError(
            "kind",
            name,
            known,
            "`dovetail parts` tells of each; bring your own in a file: "
            'parts = ["my_parts.py"] and kind = "my_parts:CLASS" (docs/how-to/write-a-part.md)',
        )
    return _kinds[name]


def name_of(cls: type) -> str | None:
    """The name of a part's class, or None if it has not got one."""
    return brought.name_of(cls) or next((name for name, known in _kinds.items() if known is cls), None)


def _load_others() -> None:
    """Import the studies' parts and the modules that other packages name; each once."""
    import_module(STUDIES)
    for entry in entry_points(group=GROUP):
        if entry.value not in _loaded:
            _loaded.add(entry.value)
            entry.load()
