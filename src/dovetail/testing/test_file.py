"""Test files: TOML in, a checked test out, and a test back into the same form.

The schema is not written down a second time: every part declares its fields with unit and range, and a
pydantic model is made of them. All faults of a file are reported at once, each with its place.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import jax
import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model

from dovetail import testing
from dovetail.core import Part
from dovetail.core.block import Method
from dovetail.core.errors import (
    MANY,
    DovetailError,
    Fault,
    ParameterError,
    TestFileError,
    UnknownNameError,
    guarded,
    shown,
    unforeseen,
    unknown_key,
)
from dovetail.core.kinds import find, name_of, names
from dovetail.core.parameter import Parameter, declared, file_names
from dovetail.core.renamed import new_key, new_value, remark
from dovetail.core.toml_file import read_toml
from dovetail.core.units import to_si
from dovetail.core.user_parts import texts_of
from dovetail.testing.paths import declared_at, joined
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.testing.test_table import PARTS, carried, change, copied, located, parts_of

if TYPE_CHECKING:
    from dovetail.testing import CellFile, ChartFile, Simulation, Test

UNSAID = ("shape", "key", "taps", "ring", "built")  # fields that follow from the rest of the test
ROOTS = {  # of a file: its kind, and the class that it is read as
    "test": "Test",
    "simulation": "Simulation",
    "map": "ChartFile",
    "cell": "CellFile",
}
MOVED = ("least", "most", "before", "after")  # of a dial or a schedule: in the unit of what it moves
PROVENANCE = "provenance"  # a table that a resolved test carries and a reader skips


def load(path: str | Path, changes: dict[str, Any] | None = None) -> Any:
    """Read a test file; `changes` overrides values at paths.

    The answer is a `Test`, a `Simulation`, a `ChartFile` or a `CellFile`, as the file says. Files that it names are
    looked for from its folder.

    Raises
    ------
    TestFileError
        With every fault of the file.
    OutputError
        If there is no such file.
    """
    return parse(read_table(path, changes), Path(path).name)


def read_table(path: str | Path, changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The table of a test file with other values at paths; the files that it names are named in full."""
    path = Path(path)
    table = carried(read_toml(path, "test file"), path.parent, path.name, said=True)
    return whole_names(change(table, changes or {}, path.name), path.parent, path.name)


def whole_names(table: dict[str, Any], folder: Path, source: str = "test") -> dict[str, Any]:
    """The table of a test with the names of files made whole from `folder`, and those with parts read."""
    table, kind = carried(table, folder, source), table.get("kind")
    return located(table, root(kind if isinstance(kind, str) and kind in ROOTS else "test"), folder)


def root(kind: str) -> type:
    """The class that a file of this kind is read as."""
    return getattr(testing, ROOTS[kind])


def parse(table: dict[str, Any], source: str = "test") -> Any:
    """A test, or a simulation, from the nested table that its file holds."""
    kind = table.get("kind", "test")
    if not isinstance(kind, str) or kind not in ROOTS:
        raise TestFileError(source, [Fault("kind", f"got {shown(kind)}; one of {', '.join(ROOTS)}, or none")])
    table = carried(table, Path(), source)
    table = {key: value for key, value in table.items() if key not in (PROVENANCE, PARTS, "kind")}
    cls = root(kind)
    try:
        test = _make(cls, _moved(table, cls, source))
    except ValidationError as error:
        raise TestFileError(source, _faults(error, table, cls)) from error
    except ValueError as error:  # of the test as a whole
        raise TestFileError(source, [Fault(kind, str(error))]) from error
    if "title" not in table:
        test = dataclasses.replace(test, title=Path(source).stem)
    faults = guarded(kind, test.faults)
    if faults:
        raise TestFileError(source, faults)
    return test


def _moved(table: dict[str, Any], cls: type, source: str) -> dict[str, Any]:
    """The table with what dials and schedules say in units in SI: their unit is that of the parameter they move."""
    said = [
        (group, path, name, value)
        for group in ("dials", "schedule")
        for path, entry in _items(table.get(group))
        for name, value in _items(entry)
        if isinstance(value, str) and name in MOVED
    ]
    if not said:
        return table
    table, faults = copied(table), []
    bare = _make(cls, {key: value for key, value in table.items() if key not in ("dials", "schedule")})
    for group, path, name, value in said:
        try:
            about = declared_at(bare, path)
            table[group][path][name] = to_si(value, "1" if about is None else about.unit)
        except UnknownNameError:
            table[group][path][name] = 0.0  # that there is no such parameter is said of the whole test
        except ParameterError as error:
            faults.append(Fault(joined((group, path, name)), str(error)))
    if faults:
        raise TestFileError(source, faults)
    return table


def _items(node: Any) -> Any:
    return node.items() if isinstance(node, dict) else ()


def dump(test: Test | Simulation | ChartFile | CellFile) -> dict[str, Any]:
    """The resolved test, every default written out, as a nested table that `parse` takes back."""
    kind = next(kind for kind in ROOTS if isinstance(test, root(kind)))
    head = {} if kind == "test" else {"kind": kind}
    used: set[type] = set()
    table = {key: value for key, value in _dump(test, used).items() if key != "kind"}
    texts = texts_of(used)
    return head | table | ({PARTS: texts} if texts else {})


def dump_part(part: Part | Method) -> dict[str, Any]:
    """A part as the table that a test file has of it."""
    table: dict[str, Any] = _dump(part, set())
    return table


# reading


def _make(cls: type, table: Any) -> Any:
    """A part of class `cls` from its table."""
    if not isinstance(table, dict):
        raise ValueError(f"got {shown(table)}; needs a table")
    values = _model(cls).model_validate(table)
    try:
        return cls(**{name: getattr(values, name) for name in values.model_fields_set})
    except ParameterError:
        raise
    except DovetailError as error:  # of a file that it names, say; told with the place
        raise ValueError(str(error)) from error
    except Exception as error:
        raise ValueError(unforeseen(error)) from error


@cache
def _model(cls: type) -> type[BaseModel]:
    """The pydantic model of a part's fields."""
    hints = typing.get_type_hints(cls)
    about = declared(cls)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if field.name in UNSAID or not field.init:
            continue
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        read = _reader(hints[field.name], about.get(field.name), empty=field.default == ())
        if (parameter := about.get(field.name)) is not None and parameter.choices:
            read = Annotated[read, BeforeValidator(partial(_not_renamed, cls, field.name, parameter))]
        fields[field.name] = (read, ... if required else None)
    return create_model(cls.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _reader(hint: Any, about: Parameter | None, empty: bool = False) -> Any:
    """The pydantic type that turns the value in a file into the value of a field; a list may be `empty` or not."""
    if about is not None:
        return Annotated[Any, BeforeValidator(lambda value: _number(value, about, hint, empty))]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _reader(next(a for a in arguments if a is not type(None)), about)
    if origin is dict:
        return Annotated[dict[str, _reader(arguments[1], None)], BeforeValidator(_is_table)]  # type: ignore[misc]  # a type made from a hint
    if origin is tuple and isinstance(arguments[0], type) and issubclass(arguments[0], Part):
        return Annotated[tuple[_reader(arguments[0], None), ...], BeforeValidator(_is_list)]  # type: ignore[misc]  # likewise
    if isinstance(hint, type) and issubclass(hint, Part | Method):
        return Annotated[Any, BeforeValidator(lambda value: _part(value, hint))]
    return hint


def _number(value: Any, about: Parameter, hint: Any, empty: bool) -> Any:
    if not about.choices:
        given, value = value, to_si(value, about.unit)
        try:
            size = np.size(np.array(value, dtype=float))
        except ValueError as error:
            raise ValueError("rows of different lengths; needs a rectangular array") from error
        if not size and not empty:
            raise ValueError(f"got {shown(given)}; needs a number, or a list of them")
        if isinstance(value, list) and hint in (int, float):
            raise ValueError(f"got {shown(given)}; needs one number")
        if hint is int:
            if not abs(value) < 2**53 or value != int(value):
                raise ValueError(f"got {shown(given)}; needs a whole number")
            value = int(value)
    fault = about.fault(value)
    if fault:
        raise ValueError(fault)
    return value


def _not_renamed(cls: type, key: str, about: Parameter, value: Any) -> Any:
    """Return the value; a word that is the old name of one of the choices is an error with the new name."""
    if isinstance(value, str) and value not in about.choices and (new := new_value(cls, key, value)):
        raise ValueError(f'got "{value}"; {remark(new)}')
    return value


def _part(value: Any, base: type) -> Any:
    if isinstance(value, base):
        return value
    if (one := _one(base)) and not (isinstance(value, dict) and "kind" in value):
        return _make(one, value)
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, dict):
        raise ValueError(f"got {shown(value)}; needs a table with a kind: {_some(base)}")
    if "kind" not in value:
        raise ValueError(f'has no kind; one of {_some(base)}: add for example kind = "{names(base)[0]}"')
    try:
        cls = find(str(value["kind"]), base)
    except UnknownNameError as error:
        raise ValueError(str(error)) from error
    return _make(cls, {key: entry for key, entry in value.items() if key != "kind"})


def _some(base: type) -> str:
    """The kinds of a base; of very many a few, and where they are told."""
    known = names(base)
    if len(known) <= MANY:
        return ", ".join(known)
    return f"{', '.join(known[:5])}, ... ({len(known)} are known; `dovetail parts` tells of each)"


def _one(base: type) -> type | None:
    """The one class there is of this base, where there is one; files need not say its kind."""
    return Rig if base is AbstractRig else base if issubclass(base, Part) and base.ONE_KIND else None


def _is_list(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValueError(f"got {shown(value)}; needs a list of tables")
    return value


def _is_table(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"got {shown(value)}; needs a table")
    return value


def _faults(error: ValidationError, table: dict[str, Any], cls: type) -> list[Fault]:
    """Every fault of a validation error, with its place in the file."""
    faults = []
    for item in error.errors(include_url=False):
        place = ".".join(str(step) for step in item["loc"])
        if item["type"] == "extra_forbidden":
            at, key = _class_at(table, item["loc"][:-1], cls), str(item["loc"][-1])
            known = sorted(_model(at).model_fields)
            faults.append(Fault(place, unknown_key(key, known, new_key(at, key))))
        elif item["type"] == "missing":
            faults.append(Fault(place, "is missing"))
        else:
            inner = item.get("ctx", {}).get("error")
            faults.append(Fault(place, str(inner) if inner else f"got {shown(item['input'])}; {item['msg']}"))
    return faults


def _class_at(table: dict[str, Any], place: tuple[int | str, ...], cls: type) -> type:
    """The class of the part whose table is at a place in that of a part of class `cls`."""
    base = cls
    node: Any = table
    for step in place:
        node = node[step]
        base, _ = parts_of(cls).get(str(step), (base, False))
        if isinstance(node, dict):
            cls = find(str(node["kind"])) if "kind" in node else _one(base) or base
    return cls


# writing


def _dump(node: Any, used: set[type]) -> Any:
    """What a file says of a node; the classes of its parts are added to `used`."""
    if isinstance(node, Part | Method):
        used.add(type(node))
        name = name_of(type(node))
        table = {"kind": name} if name else {}
        for field in sorted(dataclasses.fields(node), key=lambda field: bool(field.kw_only)):
            value = getattr(node, field.name)
            if field.name not in UNSAID and field.init and value is not None:
                # a file is named in full: what is written may be read from another folder
                named = field.name in file_names(type(node)) and value
                table[field.name] = str(Path(value).resolve()) if named else _dump(value, used)
        return table
    if isinstance(node, dict):
        return {key: _dump(value, used) for key, value in node.items()}
    if isinstance(node, tuple | list):
        return [_dump(value, used) for value in node]
    if isinstance(node, jax.Array | np.ndarray):
        return np.asarray(node).tolist()
    if isinstance(node, float) and math.isnan(node):
        raise ValueError("a test holds NaN")
    return node
