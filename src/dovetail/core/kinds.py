"""Names under which parts appear in test files: `kind = "delay"`.

A part is registered by the decorator `@kind("delay")`. Its role (the keys of a test file where it is allowed) follows
from its base class. `kind_sources` reads the module of each kind, which is imported when the name is used.

Other packages register parts through an entry point of the group `dovetail.parts`, whose value is the module to
import; it is loaded when a file contains an unknown name. A kind with a colon is a class in a file of the user (see
`user_parts`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from dovetail.core import kind_sources, parameter_text, user_parts
from dovetail.core.errors import UnknownNameError
from dovetail.core.kind_names import set_name
from dovetail.core.kind_sources import Entry

GROUP = "dovetail.parts"  # entry points of other packages: modules that register parts

Bases = type | tuple[type, ...]

_kinds: dict[str, type] = {}
_loaded: set[str] = set()  # values of the entry points loaded so far
T = TypeVar("T", bound=type)


def kind(name: str) -> Callable[[T], T]:
    """Register a class as the part `name` of test files (decorator)."""

    def register(cls: T) -> T:
        if not _is_builtin(cls):
            _load(name)
        other = _kinds.get(name)
        if other is not None and (
            other.__qualname__ != cls.__qualname__ or (_is_builtin(other) and not _is_builtin(cls))
        ):
            raise ValueError(
                f'the kind "{name}" is already registered for {other.__qualname__}; choose another name'
            )
        _kinds[name] = cls
        set_name(cls, name)
        parameter_text.describe(name, cls)
        return cls

    return register


def _is_builtin(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "dovetail"


def names(base: Bases = object) -> list[str]:
    """Return the names of all parts derived from `base`, without importing their modules."""
    imported = {name for name, cls in _imported().items() if issubclass(cls, base)}
    bases = base if isinstance(base, tuple) else (base,)
    builtin = kind_sources.entries().items()
    return sorted(imported | {name for name, entry in builtin if entry.is_one_of(bases)})


def parts_by_kind(base: Bases = object) -> dict[str, type]:
    """Return all parts derived from `base`, by name."""
    for name in names(base):
        _load(name)
    return {name: cls for name, cls in sorted(_imported().items()) if issubclass(cls, base)}


def all_kinds() -> dict[str, type]:
    """Return all parts, including those of other packages."""
    _load_others()
    return parts_by_kind()


def entries() -> dict[str, Entry]:
    """Return the entries of all parts, without importing those of Dovetail."""
    _load_others()
    others = {name: entry_of(cls) for name, cls in _imported().items() if not _is_builtin(cls)}
    return dict(sorted({**kind_sources.entries(), **others}.items()))


def entry_of(cls: type) -> Entry:
    """Return the entry of a class."""
    bases = [kind_sources.full_name(base) for base in cls.__mro__[1:] if _is_builtin(base)]
    return Entry(cls.__module__, cls.__qualname__, parameter_text.sentence(cls), tuple(bases))


def find(name: str, base: Bases = object) -> type:
    """Return the part `name`; the error for an unknown name lists the known ones."""
    if ":" in name:
        return user_parts.find(name, base)
    _load(name)
    if name not in _kinds:
        _load_others()
    if name not in _kinds or not issubclass(_kinds[name], base):
        raise UnknownNameError(
            "kind",
            name,
            names(base),
            "`dovetail parts` lists all kinds, `dovetail parts KIND` describes one; for a user part write "
            'parts = ["my_parts.py"] and kind = "my_parts:CLASS" (docs/how-to/write-a-part.md)',
            renamed="kinds",
        )
    return _kinds[name]


def _imported() -> dict[str, type]:
    return {**_kinds, **user_parts.kinds()}


def _load(name: str) -> None:
    """Import the module that registers a kind of Dovetail; do nothing for an unknown kind."""
    if name not in _kinds and (module := kind_sources.modules().get(name)):
        import_module(module)


def _load_others() -> None:
    """Import the modules registered by other packages, each once."""
    for entry in entry_points(group=GROUP):
        if entry.value not in _loaded:
            _loaded.add(entry.value)
            entry.load()
