"""Names that were changed: the new name of an old one, for error messages.

The table is `renamed.toml`. Only unknown names are looked up, so an old name that is used again with another
meaning is read with that meaning.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from dovetail.core.kind_names import name_of


def new_name(section: str, old: str) -> str | None:
    """Return the new name of an old one in a section of the table, for example `kinds`; None if it has none."""
    return _sections().get(section, {}).get(old)


def section(name: str) -> dict[str, str]:
    """Return a section of the table: new names by the old ones."""
    return dict(_sections().get(name, {}))


def new_key(cls: type, old: str) -> str | None:
    """Return the new name of a field of a part, listed under the kind or the class name of the part or of a base."""
    return _of_class("keys.{}", cls, old)


def new_value(cls: type, key: str, old: str) -> str | None:
    """Return the new name of a value of the field `key`, which is one of several words."""
    return _of_class(f"values.{{}}.{key}", cls, old)


def remark(new: str | None) -> str:
    """Return the sentence of an error about a name that was changed; empty if the name was not."""
    return f'it was renamed: write "{new}"' if new else ""


def _of_class(section: str, cls: type, old: str) -> str | None:
    for base in cls.__mro__:
        for scope in (name_of(base), base.__name__):
            if scope and (new := new_name(section.format(scope), old)):
                return new
    return None


@cache
def _sections() -> dict[str, dict[str, str]]:
    """The tables of the file by their dotted headings."""
    with (Path(__file__).parent / "renamed.toml").open("rb") as file:
        return dict(_flat(tomllib.load(file), ()))


def _flat(table: dict[str, Any], path: tuple[str, ...]) -> Any:
    yield ".".join(path), {old: new for old, new in table.items() if isinstance(new, str)}
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, (*path, key))
