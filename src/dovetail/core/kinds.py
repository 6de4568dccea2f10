"""The names under which parts appear in test files: `kind = "delay"`.

A part registers itself with `@kind("delay")`; a test file then finds it. The part's role (what slot of a
test it may fill) is that of its base class, so nothing is said twice. Where a part is stands in an index (see
`index`), and its module is imported when its name is used.

Parts of other packages are found too: they are imported when a file uses a name that is not known yet. A package names
the module that registers them in its metadata, as an entry point of the group `dovetail.parts`. A kind with a colon is
a class in a file that the user brought (see `brought`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TypeVar

from dovetail.core import kind_index, parameter_text, user_parts
from dovetail.core.errors import UnknownNameError

GROUP = "dovetail.parts"  # entry points: modules of other packages that register parts

Bases = type | tuple[type, ...]

_kinds: dict[str, type] = {}
_loaded: set[str] = set()  # names of the entry points that were imported
T = TypeVar("T", bound=type)


def kind(name: str) -> Callable[[T], T]:
    """Class decorator: let test files call this part `name`."""

    def register(cls: T) -> T:
        if not _ours(cls) and name in kind_index.entries():
            kind_index.load(name)
        other = _kinds.get(name)
        if other is not None and (
            other.__qualname__ != cls.__qualname__ or (_ours(other) and not _ours(cls))
        ):
            raise ValueError(f'the kind "{name}" is taken by {other.__qualname__}')
        _kinds[name] = cls
        parameter_text.describe(name, cls)
        return cls

    return register


def _ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "dovetail"


def registered() -> dict[str, type]:
    """The parts of Dovetail that were imported, by name."""
    return {name: cls for name, cls in _kinds.items() if _ours(cls)}


def names(base: Bases = object) -> list[str]:
    """The names of all parts that are of `base`; their modules are not imported."""
    found = {name for name, cls in _known().items() if issubclass(cls, base)}
    bases = base if isinstance(base, tuple) else (base,)
    return sorted(found | {name for name, entry in kind_index.entries().items() if entry.is_one_of(bases)})


def parts_by_kind(base: Bases = object) -> dict[str, type]:
    """All parts that are of `base`, by name."""
    for name in names(base):
        if name not in _kinds and name in kind_index.entries():
            kind_index.load(name)
    return {name: cls for name, cls in sorted(_known().items()) if issubclass(cls, base)}


def all_kinds() -> dict[str, type]:
    """Every part, those of other packages too."""
    _load_others()
    return parts_by_kind()


def entries() -> dict[str, kind_index.Entry]:
    """What is known of every part without importing those of Dovetail."""
    _load_others()
    others = {name: kind_index.entry_of(cls) for name, cls in _known().items() if not _ours(cls)}
    return dict(sorted({**kind_index.entries(), **others}.items()))


def find(name: str, base: Bases = object) -> type:
    """The part called `name`; an unknown name lists the known ones."""
    if ":" in name:
        return user_parts.find(name, base)
    if name not in _kinds:
        kind_index.load(name)
    if name not in _kinds:
        _load_others()
    if name not in _kinds or not issubclass(_kinds[name], base):
        raise UnknownNameError(
            "kind",
            name,
            names(base),
            "`dovetail parts` lists them and `dovetail parts KIND` tells of one; bring your own in a file: "
            'parts = ["my_parts.py"] and kind = "my_parts:CLASS" (docs/how-to/write-a-part.md)',
            renamed="kinds",
        )
    return _kinds[name]


def name_of(cls: type) -> str | None:
    """The name of a part's class, or None if it has not got one."""
    return user_parts.name_of(cls) or next((name for name, known in _kinds.items() if known is cls), None)


def _known() -> dict[str, type]:
    return {**_kinds, **user_parts.kinds()}


def _load_others() -> None:
    """Import the modules that other packages name; each once."""
    for entry in entry_points(group=GROUP):
        if entry.value not in _loaded:
            _loaded.add(entry.value)
            entry.load()
