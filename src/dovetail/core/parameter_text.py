"""Description of a part as text: parameters with unit, default, range and meaning, sources, and its use in a file.

`help()` shows it below the docstring of a registered part; `dovetail parts` and the documentation format it in their
own way.
"""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from dovetail.core.block import Part
from dovetail.core.kind_names import name_of
from dovetail.core.kind_sources import plain
from dovetail.core.parameter import declared_parameters

MARK = "In a test file::"  # first line of the text that is added to a docstring


def parameter_rows(cls: type) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield name, unit, default, range and meaning of each declared parameter."""
    fields = {field.name: field for field in _fields(cls)}
    for name, parameter in declared_parameters(cls).items():
        unit = "" if parameter.unit == "1" else parameter.unit
        yield name, unit, default_of(fields[name]), parameter.allowed, parameter.about


def other_lines(cls: type) -> list[str]:
    """Return one line for each field that holds another part, and for each source."""
    lines = [
        f"{field.name}: {field.type}, {default_of(field)}"
        for field in _fields(cls)
        if field.init and field.name not in declared_parameters(cls) and field.name != "shape"
    ]
    sources = cls.references if issubclass(cls, Part) else {}
    return lines + [f"source: {key}, {content}" for key, content in sources.items()]


def table(cls: type) -> list[str]:
    """Return the parameters in columns, followed by the other fields and the sources."""
    rows = list(parameter_rows(cls))
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(5)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return lines + other_lines(cls)


def describe(name: str, cls: type) -> None:
    """Add kind, parameters and sources of a part to its docstring, for `help()`."""
    if not dataclasses.is_dataclass(cls):
        return
    lines = [f'kind = "{name}"', *table(cls)]
    cls.__doc__ = f"{docstring(cls)}\n\n{MARK}\n\n{textwrap.indent(chr(10).join(lines), '    ')}\n"


def docstring(cls: type) -> str:
    """Return the docstring of a part without the added text."""
    return (inspect.getdoc(cls) or "").partition(MARK)[0].rstrip()


def sentence(cls: type) -> str:
    """Return the first line of the docstring of a class, without mark-up."""
    return plain((inspect.getdoc(cls) or "").partition("\n")[0])


def required(field: dataclasses.Field[Any]) -> bool:
    """Return whether a field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def default_of(field: dataclasses.Field[Any]) -> str:
    """Return the default of a field as text."""
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
