"""Rows of a nested parameter table: path, value, unit, meaning.

Units and meanings come from the declarations of the part with that `kind`. Values of unknown parts are shown without
unit and meaning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dovetail.core import kinds
from dovetail.core.errors import UnknownNameError
from dovetail.core.parameter import ParameterDeclaration, declared_parameters
from dovetail.core.si_prefix import si_prefix, typeset

LONGEST = 8  # entries of a list that are printed


@dataclass(frozen=True)
class ParameterRow:
    """Row of one parameter."""

    path: str
    value: str
    unit: str
    about: str


def rows(table: Mapping[str, Any], declared_by: Mapping[str, type] | None = None) -> list[ParameterRow]:
    """Return all parameters of a nested table, in its order.

    `declared_by`: class of a table without `kind`, by path ("" for the complete table).
    """
    return list(_rows(table, "", declared_by or {}))


def _rows(table: Mapping[str, Any], path: str, declared_by: Mapping[str, type]) -> Iterator[ParameterRow]:
    known = _declared_fields(table, declared_by.get(path))
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
                yield ParameterRow(path, named, "", "")  # kind of the part, in the row of its name
                continue
            if isinstance(value, Sequence) and not value:
                continue
            text, unit = text_and_unit(value, about.unit if about else "")
            yield ParameterRow(here, text, unit, about.about if about else "")


def summary(
    table: Mapping[str, Any], count: int = 3, declared_by: type | None = None
) -> tuple[str, list[str]]:
    """Return the kind of a part and its first few non-zero numbers with unit, for a drawing."""
    kind = str(table.get("kind", "")).replace("_", " ")
    known = _declared_fields(table, declared_by)
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
        text, unit = text_and_unit(value, about.unit if about else "")
        numbers.append(f"{name.replace('_', ' ')} {text} {unit}".strip())
    return kind, numbers[:count]


def differences(
    tables: Sequence[Mapping[str, Any]], declared_by: Mapping[str, type] | None = None
) -> dict[str, list[str]]:
    """Return the paths at which tables differ, with the value of each table (empty if absent)."""
    flat = [
        {row.path: f"{row.value} {row.unit}".strip() for row in rows(table, declared_by)} for table in tables
    ]
    paths = dict.fromkeys(path for each in flat for path in each)
    values_by_path = {path: [each.get(path, "") for each in flat] for path in paths}
    return {path: values for path, values in values_by_path.items() if len(set(values)) > 1}


def _declared_fields(table: Mapping[str, Any], cls: type | None) -> dict[str, ParameterDeclaration]:
    kind = table.get("kind")
    if kind is not None:
        with suppress(UnknownNameError):  # unknown kind
            cls = kinds.find(str(kind))
    return declared_parameters(cls) if cls is not None else {}


def text_and_unit(value: Any, unit: str) -> tuple[str, str]:
    """Return the text of a value and its unit with a suitable SI prefix."""
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
        entries = [text_and_unit(v, "")[0] for v in value[:LONGEST]]
        more = f", … {len(value)} entries" if len(value) > LONGEST else ""
        return f"[{', '.join(entries)}{more}]", "" if unit == "1" else typeset(unit)
    return str(value), "" if unit == "1" else typeset(unit)
