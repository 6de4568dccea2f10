"""A nested table of parameters as rows: path, value, unit, meaning.

Units and meanings are what each part declared for its fields; a part is found by its `kind`. A test that was
written by hand, or a part that is not known here, has its values shown without them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dovetail.core import kinds
from dovetail.core.errors import UnknownNameError
from dovetail.core.parameter import Parameter, declared
from dovetail.core.si_prefix import si_prefix, typeset

LONGEST = 8  # entries of a list that are written out


@dataclass(frozen=True)
class ParameterRow:
    """One parameter."""

    path: str
    value: str
    unit: str
    about: str


def rows(table: Mapping[str, Any], declared_by: Mapping[str, type] | None = None) -> list[ParameterRow]:
    """All parameters of a nested table, in its order.

    `declared_by` gives the class that declares a table which has no `kind` of its own, by path ("" is the
    whole).
    """
    return list(_rows(table, "", declared_by or {}))


def _rows(table: Mapping[str, Any], path: str, declared_by: Mapping[str, type]) -> Iterator[ParameterRow]:
    known = _declared(table, declared_by.get(path))
    for name, value in table.items():
        here = f"{path}.{name}" if path else str(name)
        if isinstance(value, Mapping):
            yield from _rows(value, here, declared_by)
        elif isinstance(value, Sequence) and value and all(isinstance(v, Mapping) for v in value):
            for i, entry in enumerate(value):
                yield from _rows(entry, f"{here}.{i}", declared_by)
        else:
            about = known.get(str(name))
            if name == "kind" and path:
                named = "none" if table.get("parts") == [] else str(value).replace("_", " ")
                yield ParameterRow(path, named, "", "")  # what the part is, under its own name
                continue
            if isinstance(value, Sequence) and not value:
                continue
            text, unit = worded(value, about.unit if about else "")
            yield ParameterRow(here, text, unit, about.about if about else "")


def summary(
    table: Mapping[str, Any], count: int = 3, declared_by: type | None = None
) -> tuple[str, list[str]]:
    """A part in short: its kind, and its first few numbers that are not zero, with unit, for a drawing."""
    kind = str(table.get("kind", "")).replace("_", " ")
    known = _declared(table, declared_by)
    numbers = []
    for name, value in table.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value == 0
        ):
            continue
        about = known.get(str(name))
        text, unit = worded(value, about.unit if about else "")
        numbers.append(f"{name.replace('_', ' ')} {text} {unit}".strip())
    return kind, numbers[:count]


def differences(
    tables: Sequence[Mapping[str, Any]], declared_by: Mapping[str, type] | None = None
) -> dict[str, list[str]]:
    """Paths at which tables differ, with the value of each (empty where it has none); `declared_by` as for rows."""
    flat = [
        {row.path: f"{row.value} {row.unit}".strip() for row in rows(table, declared_by)} for table in tables
    ]
    paths = dict.fromkeys(path for each in flat for path in each)
    found = {path: [each.get(path, "") for each in flat] for path in paths}
    return {path: values for path, values in found.items() if len(set(values)) > 1}


def _declared(table: Mapping[str, Any], cls: type | None) -> dict[str, Parameter]:
    kind = table.get("kind")
    if kind is not None:
        with suppress(UnknownNameError):  # of a part that is not known here
            cls = kinds.find(str(kind))
    return declared(cls) if cls is not None else {}


def worded(value: Any, unit: str) -> tuple[str, str]:
    """A value as a page shows it, and the unit that it is shown in, with a prefix that suits its size."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return ("" if value is None else str(value)), ""
    if isinstance(value, int | float):
        if not math.isfinite(value):
            return ("none" if math.isinf(value) else "not a number"), ""
        factor, short = si_prefix(value, unit) if unit else (1.0, "")
        return (str(value) if isinstance(value, int) and factor == 1 else f"{factor * value:.6g}"), short
    if isinstance(value, Sequence):
        if any(isinstance(v, Sequence) and not isinstance(v, str) and len(v) > 3 for v in value):
            return f"{len(value)} rows of numbers", "" if unit == "1" else typeset(unit)
        shown = [worded(v, "")[0] for v in value[:LONGEST]]
        more = f", … {len(value)} in all" if len(value) > LONGEST else ""
        return f"[{', '.join(shown)}{more}]", "" if unit == "1" else typeset(unit)
    return str(value), "" if unit == "1" else typeset(unit)
