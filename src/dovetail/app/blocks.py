"""The parts of a test as an editor shows them: what each is, its values with all that was declared of them.

The boxes of the report's drawing come first, in its order; then what else the test is made of; the whole test last.
Units, ranges and meanings are those of the declarations, so that an editor knows what the reader of files knows.
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

from dovetail.core import Part
from dovetail.core.block import Method
from dovetail.core.kind_index import sentence
from dovetail.core.kinds import entries, name_of, names
from dovetail.core.parameter import declared
from dovetail.core.units import PARAMETER, SIGNAL
from dovetail.report.drawing import BOXES
from dovetail.report.parameters import worded
from dovetail.testing import ChartFile
from dovetail.testing.paths import get, joined, steps
from dovetail.testing.runnable import Runnable
from dovetail.testing.test_file import UNSAID
from dovetail.testing.test_table import parts_of


@dataclass(frozen=True)
class Value:
    """One value of a part."""

    path: str
    name: str
    said: str  # as the file has it, "3 ms"; empty where it says nothing
    shown: str  # as a report prints it
    unit: str  # of that
    si_unit: str  # as declared; empty for none
    number: float | None  # in the declared unit, where it is one number
    allowed: str  # its range, in words
    meaning: str
    choices: tuple[str, ...]  # of one that is a word
    default: bool  # the file says nothing of it
    moves: bool  # a number that may change without a compilation


@dataclass(frozen=True)
class DrawnBlock:
    """A part of a test: its kind in a sentence, where that comes from, its values, and the parts in it."""

    path: str  # empty for the test as a whole
    role: str
    kind: str
    about: str
    sources: tuple[str, ...]
    values: tuple[Value, ...]
    inner: tuple[DrawnBlock, ...]
    exchangeable: bool


@dataclass(frozen=True)
class Choice:
    """A member of a family that a part may be exchanged for."""

    kind: str
    about: str
    present: bool


def blocks(test: Any, said: Mapping[str, Any]) -> list[DrawnBlock]:
    """All parts of a test, or of whatever a file holds; `said` is the table as the file has it."""
    boxes = {path: role for role, path, _ in BOXES.values()}
    drawn = {path: role for path, role in boxes.items() if _at(test, path) is not None}
    found = [_block(test, path, role, said, boxes) for path, role in drawn.items()]
    found += [
        _block(test, name, name.capitalize(), said, boxes) for name, _ in _parts(test) if name not in drawn
    ]
    source = (str(test.source),) if isinstance(test, Runnable | ChartFile) and test.source else ()
    whole = DrawnBlock(
        "", "The test", "", sentence(type(test)), source, tuple(_values(test, "", said)), (), False
    )
    return [*found, whole]


def choices(test: Any, path: str) -> list[Choice]:
    """What the part at a path may be exchanged for; nothing where there is no choice."""
    family = _family(test, path)
    if family is None:
        return []
    known, present = entries(), name_of(type(_at(test, path)))
    return [Choice(kind, known[kind].about, kind == present) for kind in names(family) if kind in known]


def _block(test: Any, path: str, role: str, said: Mapping[str, Any], boxes: Mapping[str, str]) -> DrawnBlock:
    part = get(test, path)
    inner = [
        _block(test, f"{path}.{name}", name, said, boxes)
        for name, _ in _parts(part)
        if f"{path}.{name}" not in boxes
    ]
    sources = tuple(f"{key}: {why}" for key, why in part.references.items()) if isinstance(part, Part) else ()
    return DrawnBlock(
        path,
        role,
        name_of(type(part)) or "",
        sentence(type(part)),
        sources,
        tuple(_values(part, path, said)),
        tuple(inner),
        _family(test, path) is not None,
    )


def _parts(part: Any) -> Iterator[tuple[str, Any]]:
    """Parts in a part, by the rest of their path: of its fields, of lists and of tables in them."""
    for field in dataclasses.fields(part):
        value = getattr(part, field.name, None)
        if isinstance(value, Part | Method):
            yield field.name, value
        elif isinstance(value, tuple | list):
            yield from ((f"{field.name}[{i}]", one) for i, one in enumerate(value) if isinstance(one, Part))
        elif isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, Part):
                    yield joined((field.name, key)), one


def _values(part: Any, path: str, said: Mapping[str, Any]) -> Iterator[Value]:
    """What a part says of itself, parts in it left out."""
    cls: Any = type(part)
    left_out = {steps(name)[0] for name, _ in _parts(part)} | set(parts_of(cls)) | set(UNSAID)
    known, table = declared(cls), _said_at(said, path)
    for field in dataclasses.fields(part):
        value, about = getattr(part, field.name, None), known.get(field.name)
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
        shown, shown_unit = worded(plain, unit)
        yield Value(
            path=f"{path}.{field.name}" if path else field.name,
            name=field.name,
            said=str(table[field.name]) if field.name in table else "",
            shown=shown,
            unit=shown_unit,
            si_unit=unit,
            number=number,
            allowed=about.allowed if about else "",
            meaning=about.about if about else "",
            choices=about.choices if about else (),
            default=field.name not in table,
            moves=traced and number is not None,
        )


def _said_at(said: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    node: Any = said
    for step in steps(path) if path else ():
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return {}
    return node if isinstance(node, Mapping) else {}


def _at(test: Any, path: str) -> Any:
    try:
        return get(test, path)
    except (KeyError, ValueError, AttributeError):
        return None


def _family(test: Any, path: str) -> type | None:
    """The class of which a field takes any member; None where it takes one kind only, or no part."""
    way = list(steps(path))
    while way and isinstance(way[-1], int):
        way.pop()
    parent = _at(test, joined(way[:-1])) if way[1:] else test
    if not dataclasses.is_dataclass(parent) or not way:
        return None
    hint = typing.get_type_hints(type(parent)).get(str(way[-1]))
    while typing.get_origin(hint) in (types.UnionType, typing.Union, tuple):
        hint = next(a for a in typing.get_args(hint) if a is not type(None))
    if not isinstance(hint, type) or not issubclass(hint, Part | Method):
        return None
    if issubclass(hint, Part) and hint.ONE_KIND:
        return None
    return hint if len(names(hint)) > 1 else None
