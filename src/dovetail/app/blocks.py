"""Parts of a test for display in an editor: kind, description, values with unit, range and meaning.

The parts in the loop drawing of the report come first, in the order of the drawing; then all other parts; the test
itself is last. Units, ranges and meanings come from the parameter declarations that the file reader uses too.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from dovetail.core import Flow, Part
from dovetail.core.block import Method
from dovetail.core.kind_names import name_of
from dovetail.core.kinds import entries, names
from dovetail.core.parameter import declared_parameters
from dovetail.core.parameter_text import sentence
from dovetail.core.plain_math import plain_math
from dovetail.core.units import PARAMETER, SIGNAL
from dovetail.mechanics import Substructure
from dovetail.report.drawing import BOXES
from dovetail.report.parameters import text_and_unit
from dovetail.testing import MapFile
from dovetail.testing.operator import NOT_TUNABLE
from dovetail.testing.paths import format_path, get, steps
from dovetail.testing.test import Test
from dovetail.testing.test_file import DERIVED_FIELDS
from dovetail.testing.test_table import parts_of


@dataclass(frozen=True)
class Value:
    """One value of a part."""

    path: str
    name: str
    file_text: str  # text in the file, for example "3 ms"; empty if the file does not set it
    text: str  # formatted as in a report
    unit: str  # unit of `text`
    si_unit: str  # declared unit; empty if it has none
    number: float | None  # in the declared unit, if the value is one number
    allowed: str  # allowed range, as text
    meaning: str
    choices: tuple[str, ...]  # allowed words of a choice parameter
    default: bool  # the file does not set it
    traced: bool  # a number that can change without recompilation
    tunable: bool | None = (
        None  # whether the operator may change it during a run; None if it cannot be tunable
    )


@dataclass(frozen=True)
class BlockView:
    """Part of a test: path, kind, description, sources, values and inner parts."""

    path: str  # empty for the test itself
    role: str
    kind: str
    about: str
    sources: tuple[str, ...]
    values: tuple[Value, ...]
    inner: tuple[BlockView, ...]
    exchangeable: bool


@dataclass(frozen=True)
class PartOption:
    """Kind that can replace a part."""

    kind: str
    about: str
    current: bool


def blocks(test: Any, table: Mapping[str, Any]) -> list[BlockView]:
    """Return all parts of the content of a test file; `table` is the table of the file."""
    boxes = {path: role for role, path, _ in BOXES.values()}
    unused = test.unused_fields if isinstance(test, Test) else ()
    drawn = {
        path: role
        for path, role in boxes.items()
        if steps(path)[0] not in unused and _part_at(test, path) is not None
    }
    views = [_block(test, path, role, table, boxes) for path, role in drawn.items()]
    views += [
        _block(test, name, name.capitalize(), table, boxes)
        for name, _ in _parts(test)
        if name not in drawn and name not in unused
    ]
    source = (str(test.source),) if isinstance(test, Test | MapFile) and test.source else ()
    values = tuple(value for value in _values(test, test, "", table) if value.path not in unused)
    test_view = BlockView("", "Test", "", plain_math(sentence(type(test))), source, values, (), False)
    return [*views, test_view]


def choices(test: Any, path: str) -> list[PartOption]:
    """Return the kinds that can replace the part at a path; empty if there is no choice."""
    family = _family(test, path)
    if family is None:
        return []
    kinds, present = entries(), name_of(type(_part_at(test, path)))
    return [
        PartOption(kind, plain_math(kinds[kind].about), kind == present)
        for kind in names(family)
        if kind in kinds
    ]


def _block(test: Any, path: str, role: str, table: Mapping[str, Any], boxes: Mapping[str, str]) -> BlockView:
    part = get(test, path)
    inner = [
        _block(test, f"{path}.{name}", name, table, boxes)
        for name, _ in _parts(part)
        if f"{path}.{name}" not in boxes
    ]
    sources = (
        tuple(f"{key}: {reason}" for key, reason in part.references.items()) if isinstance(part, Part) else ()
    )
    return BlockView(
        path,
        role,
        name_of(type(part)) or "",
        plain_math(sentence(type(part))),
        sources,
        tuple(_values(test, part, path, table)),
        tuple(inner),
        _family(test, path) is not None,
    )


def _parts(part: Any) -> Iterator[tuple[str, Any]]:
    """Iterate over the inner parts of a part (fields, list entries, table entries) with their relative paths."""
    for field in dataclasses.fields(part):
        value = getattr(part, field.name, None)
        if isinstance(value, Part | Method):
            yield field.name, value
        elif isinstance(value, tuple | list):
            yield from ((f"{field.name}[{i}]", one) for i, one in enumerate(value) if isinstance(one, Part))
        elif isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, Part):
                    yield format_path((field.name, key)), one


def _values(test: Any, part: Any, path: str, file_table: Mapping[str, Any]) -> Iterator[Value]:
    """Iterate over the values of a part, without its inner parts."""
    cls: Any = type(part)
    has_rig = isinstance(test, Test) and test.rig is not None
    can_be_tunable = has_rig and bool(path) and steps(path)[0] not in NOT_TUNABLE
    left_out = {steps(name)[0] for name, _ in _parts(part)} | set(parts_of(cls)) | set(DERIVED_FIELDS)
    declared, table = declared_parameters(cls), _table_at(file_table, path)
    for field in dataclasses.fields(part):
        value, about = getattr(part, field.name, None), declared.get(field.name)
        if field.name in left_out or not field.init or (isinstance(value, tuple | dict) and not value):
            continue
        unit = about.unit if about is not None and about.unit not in ("1", SIGNAL, PARAMETER) else ""
        traced = isinstance(value, jax.Array)
        plain: Any = (
            np.asarray(value).tolist() if traced else list(value) if isinstance(value, tuple) else value
        )
        number = None
        if about is not None and not about.choices and plain is not None and np.size(plain) == 1:
            number = float(np.ravel(plain)[0])
        text, shown_unit = text_and_unit(plain, unit)
        whole = f"{path}.{field.name}" if path else field.name
        yield Value(
            path=whole,
            name=field.name,
            file_text=str(table[field.name]) if field.name in table else "",
            text=text,
            unit=shown_unit,
            si_unit=unit,
            number=number,
            allowed=about.allowed if about else "",
            meaning=about.about if about else "",
            choices=about.choices if about else (),
            default=field.name not in table,
            traced=traced and number is not None,
            tunable=whole in test.tunable if traced and number is not None and can_be_tunable else None,
        )


def _table_at(table: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    node: Any = table
    for step in steps(path) if path else ():
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return {}
    return node if isinstance(node, Mapping) else {}


def _part_at(test: Any, path: str) -> Any:
    try:
        return get(test, path)
    except (KeyError, ValueError, AttributeError):
        return None


def _family(test: Any, path: str) -> type | None:
    """Return the family class of the field at a path; None if the field takes one kind only, or no part."""
    keys = list(steps(path))
    while isinstance(keys[-1], int):
        keys.pop()
    parent = _part_at(test, format_path(keys[:-1])) if keys[1:] else test
    if not dataclasses.is_dataclass(parent):
        return None
    hint = typing.get_type_hints(type(parent)).get(str(keys[-1]))
    while typing.get_origin(hint) in (types.UnionType, typing.Union, tuple):
        hint = next(a for a in typing.get_args(hint) if a is not type(None))
    if not isinstance(hint, type) or not issubclass(hint, Part | Method):
        return None
    if issubclass(hint, Part) and hint.ONE_KIND:
        return None
    if hint is Flow and isinstance(_part_at(test, path), Substructure):
        hint = Substructure
    return hint if len(names(hint)) > 1 else None
