"""What a part takes, in words: its parameters with unit, default, range and meaning, its sources, how a file names it.

One text for all who ask: `help()` shows it below the docstring of a registered part, `dovetail parts` and the pages of
the documentation print it in their own way.
"""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from dovetail.core.block import Part
from dovetail.core.parameter import declared

MARK = "In a test file::"  # the line from which on a docstring was added to


def parameter_rows(cls: type) -> Iterator[tuple[str, str, str, str, str]]:
    """Name, unit, default, range and meaning of each declared parameter."""
    fields = {field.name: field for field in _fields(cls)}
    for name, parameter in declared(cls).items():
        unit = "" if parameter.unit == "1" else parameter.unit
        yield name, unit, default_of(fields[name]), parameter.allowed, parameter.about


def other_lines(cls: type) -> list[str]:
    """Places for other parts, and sources: a line each."""
    lines = [
        f"{field.name}: {field.type}, {default_of(field)}"
        for field in _fields(cls)
        if field.init and field.name not in declared(cls) and field.name != "shape"
    ]
    sources = cls.references if issubclass(cls, Part) else {}
    return lines + [f"source: {key}, {why}" for key, why in sources.items()]


def table(cls: type) -> list[str]:
    """The parameters in columns, and the rest of what a file may say of this part."""
    rows = list(parameter_rows(cls))
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(5)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return lines + other_lines(cls)


def describe(name: str, cls: type) -> None:
    """Add to the docstring of a part what a test file says of it, so that `help()` shows it."""
    if not dataclasses.is_dataclass(cls):
        return
    own = docstring(cls)
    lines = [f'kind = "{name}"', *table(cls)]
    cls.__doc__ = f"{own}\n\n{MARK}\n\n{textwrap.indent(chr(10).join(lines), '    ')}\n"


def docstring(cls: type) -> str:
    """The docstring of a part as its author wrote it."""
    return (inspect.getdoc(cls) or "").partition(MARK)[0].rstrip()


def required(field: dataclasses.Field[Any]) -> bool:
    """Whether a field must be given."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def default_of(field: dataclasses.Field[Any]) -> str:
    """The default of a field, as a table shows it."""
    from dovetail.core.kinds import name_of

    if required(field):
        return "required"
    if field.default is dataclasses.MISSING:
        return "none given"
    value = field.default
    if isinstance(value, int | float):
        return f"{value:g}"
    return value if isinstance(value, str) else (name_of(type(value)) or str(value))


def _fields(cls: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls)
