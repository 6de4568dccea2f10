"""Kind of a class: the name under which a part appears in test files."""

from __future__ import annotations

_names: dict[type, str] = {}


def set_name(cls: type, name: str) -> None:
    """Set the kind of a class."""
    _names[cls] = name


def name_of(cls: type) -> str | None:
    """Return the kind of a class; None if it is not registered."""
    return _names.get(cls)
