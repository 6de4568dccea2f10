"""Test files: read a TOML file into a validated test, and write a test back as a table.

The schema follows from the parts: each part declares its fields with unit and range, and a pydantic model is built
from them. All faults of a file are reported at once, each with its path.
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
    MAX_LISTED_NAMES,
    DovetailError,
    Fault,
    ParameterError,
    TestFileError,
    UnknownNameError,
    collect_faults,
    format_value,
    unforeseen_error_text,
    unknown_key,
)
from dovetail.core.kind_names import name_of
from dovetail.core.kinds import find, names
from dovetail.core.parameter import ParameterDeclaration, declared_parameters, file_names
from dovetail.core.renamed import new_key, new_name, new_value, remark
from dovetail.core.toml_file import read_toml
from dovetail.core.units import to_si
from dovetail.core.user_parts import sources_of
from dovetail.testing.paths import declared_at, format_path
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.testing.test_table import PARTS, change, copy_table, parts_of, read_user_parts, resolve_paths

if TYPE_CHECKING:
    from dovetail.testing import CellFile, MapFile, Test

DERIVED_FIELDS = ("shape", "key", "taps", "ring", "built")  # fields derived from other fields
FILE_KINDS = {  # kinds of files, with the class of each
    "test": "Test",
    "map": "MapFile",
    "cell": "CellFile",
}
UNIT_OF_TARGET = (
    "min",
    "max",
    "initial",
    "final",
)  # keys of tunable and schedule entries in the unit of their parameter
MAX_TABLES = 2000  # in a file, with those in lists; the largest test of a study has a tenth of them
PROVENANCE = "provenance"  # table of a resolved test that is ignored on reading


def load(path: str | Path, changes: dict[str, Any] | None = None) -> Any:
    """Read a test file; `changes` overrides values at paths.

    The result is a `Test`, a `MapFile` or a `CellFile`, according to the `kind` of the file. File
    names in the file are relative to its folder.

    Raises
    ------
    TestFileError
        With all faults of the file.
    OutputError
        If the file does not exist.
    """
    return parse(read_table(path, changes), Path(path).name)


def read_table(path: str | Path, changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the table of a test file with changed values at paths and absolute file names."""
    path = Path(path)
    table = read_user_parts(read_toml(path, "test file"), path.parent, path.name, with_command_line=True)
    return with_absolute_names(change(table, changes or {}, path.name), path.parent, path.name)


def with_absolute_names(table: dict[str, Any], folder: Path, source: str = "test") -> dict[str, Any]:
    """Return the table of a test with file names made absolute from `folder` and its user parts read."""
    table, kind = read_user_parts(table, folder, source), table.get("kind")
    return resolve_paths(
        table, class_of_kind(kind if isinstance(kind, str) and kind in FILE_KINDS else "test"), folder
    )


def class_of_kind(kind: str) -> type:
    """Return the class of a file of this kind."""
    kind_class: type = getattr(testing, FILE_KINDS[kind])
    return kind_class


def parse(table: dict[str, Any], source: str = "test") -> Any:
    """Return the content of a test file from its table."""
    kind = table.get("kind", "test")
    if not isinstance(kind, str) or kind not in FILE_KINDS:
        hint = remark(new_name("file_kinds", str(kind))) or f"give one of {', '.join(FILE_KINDS)}"
        raise TestFileError(source, [Fault("kind", f"got {format_value(kind)}; {hint}, or remove it")])
    if (count := _count_tables(table)) > MAX_TABLES:
        text = f"contains {count} tables; at most {MAX_TABLES} are possible, because each part is compiled"
        raise TestFileError(source, [Fault("file", text)])
    table = read_user_parts(table, Path(), source)
    table = {key: value for key, value in table.items() if key not in (PROVENANCE, PARTS, "kind")}
    cls = class_of_kind(kind)
    try:
        test = _make(cls, _convert_target_units(table, cls, source))
    except ValidationError as error:
        raise TestFileError(source, _faults(error, table, cls)) from error
    except ValueError as error:  # a fault of the test as a whole
        raise TestFileError(source, [Fault(kind, str(error))]) from error
    if "title" not in table:
        test = dataclasses.replace(test, title=Path(source).stem)
    faults = collect_faults(kind, test.faults)
    if faults:
        raise TestFileError(source, faults)
    return test


def _count_tables(node: Any) -> int:
    """Return the number of tables in a nested table."""
    if isinstance(node, dict):
        return 1 + sum(_count_tables(value) for value in node.values())
    return sum(_count_tables(value) for value in node) if isinstance(node, list) else 0


def _convert_target_units(table: dict[str, Any], cls: type, source: str) -> dict[str, Any]:
    """Return the table with values of tunable and schedule entries in SI; their unit is that of their parameter."""
    entries = [
        (group, path, name, value)
        for group in ("tunable", "schedule")
        for path, entry in _items(table.get(group))
        for name, value in _items(entry)
        if isinstance(value, str) and name in UNIT_OF_TARGET
    ]
    if not entries:
        return table
    table, faults = copy_table(table), []
    bare = _make(cls, {key: value for key, value in table.items() if key not in ("tunable", "schedule")})
    for group, path, name, value in entries:
        try:
            about = declared_at(bare, path)
            table[group][path][name] = to_si(value, "1" if about is None else about.unit)
        except UnknownNameError:
            table[group][path][name] = 0.0  # the missing parameter is reported by the checks of the test
        except ParameterError as error:
            faults.append(Fault(format_path((group, path, name)), str(error)))
    if faults:
        raise TestFileError(source, faults)
    return table


def _items(node: Any) -> Any:
    return node.items() if isinstance(node, dict) else ()


def dump(test: Test | MapFile | CellFile) -> dict[str, Any]:
    """Return the resolved test with all defaults as a nested table, which `parse` reads."""
    kind = next(kind for kind in FILE_KINDS if isinstance(test, class_of_kind(kind)))
    head = {} if kind == "test" else {"kind": kind}
    used: set[type] = set()
    unused = {"kind", *getattr(test, "unused_fields", ())}
    table = {key: value for key, value in _dump(test, used).items() if key not in unused}
    texts = sources_of(used)
    return head | table | ({PARTS: texts} if texts else {})


def dump_part(part: Part | Method) -> dict[str, Any]:
    """Return the table of a part in a test file."""
    table: dict[str, Any] = _dump(part, set())
    return table


# reading


def _make(cls: type, table: Any) -> Any:
    """Return a part of class `cls` from its table."""
    if not isinstance(table, dict):
        raise ValueError(f"got {format_value(table)}; give a table")
    values = _model(cls).model_validate(table)
    try:
        return cls(**{name: getattr(values, name) for name in values.model_fields_set})
    except ParameterError:
        raise
    except DovetailError as error:  # for example of a file that it names; reported with the path
        raise ValueError(str(error)) from error
    except Exception as error:
        raise ValueError(unforeseen_error_text(error)) from error


@cache
def _model(cls: type) -> type[BaseModel]:
    """Return the pydantic model of the fields of a part."""
    hints = typing.get_type_hints(cls)
    about = declared_parameters(cls)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if field.name in DERIVED_FIELDS or not field.init:
            continue
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        read = _reader(hints[field.name], about.get(field.name), empty=field.default == ())
        if (parameter := about.get(field.name)) is not None and parameter.choices:
            read = Annotated[read, BeforeValidator(partial(_check_renamed, cls, field.name, parameter))]
        fields[field.name] = (read, ... if required else None)
    return create_model(cls.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _reader(hint: Any, about: ParameterDeclaration | None, empty: bool = False) -> Any:
    """Return the pydantic type that converts a value in a file to a field value; `empty` allows empty lists."""
    if about is not None:
        return Annotated[Any, BeforeValidator(lambda value: _number(value, about, hint, empty))]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _reader(next(a for a in arguments if a is not type(None)), about)
    if origin is dict:
        return Annotated[dict[str, _reader(arguments[1], None)], BeforeValidator(_is_table)]  # type: ignore[misc]  # type from a hint
    if origin is tuple and isinstance(arguments[0], type) and issubclass(arguments[0], Part):
        return Annotated[tuple[_reader(arguments[0], None), ...], BeforeValidator(_is_list)]  # type: ignore[misc]  # as above
    if isinstance(hint, type) and issubclass(hint, Part | Method):
        return Annotated[Any, BeforeValidator(lambda value: _part(value, hint))]
    return hint


def _number(value: Any, about: ParameterDeclaration, hint: Any, empty: bool) -> Any:
    if not about.choices:
        text, value = value, to_si(value, about.unit)
        try:
            size = np.size(np.array(value, dtype=float))
        except ValueError as error:
            raise ValueError("has rows of different lengths; give a rectangular array") from error
        if not size and not empty:
            raise ValueError(f"got {format_value(text)}; give a number or a list of numbers")
        if isinstance(value, list) and hint in (int, float):
            raise ValueError(f"got {format_value(text)}; give one number")
        if hint is int:
            if not abs(value) < 2**53 or value != int(value):
                raise ValueError(f"got {format_value(text)}; give a whole number")
            value = int(value)
    fault = about.fault(value)
    if fault:
        raise ValueError(fault)
    return value


def _check_renamed(cls: type, key: str, about: ParameterDeclaration, value: Any) -> Any:
    """Return the value; the old name of a choice is an error that names the new one."""
    if isinstance(value, str) and value not in about.choices and (new := new_value(cls, key, value)):
        raise ValueError(f'got "{value}"; {remark(new)}')
    return value


def _part(value: Any, base: type) -> Any:
    if isinstance(value, base):
        return value
    if (one := _only_class(base)) and not (isinstance(value, dict) and "kind" in value):
        return _make(one, value)
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, dict):
        raise ValueError(f"got {format_value(value)}; give a table with a kind: {_kinds_text(base)}")
    if "kind" not in value:
        raise ValueError(
            f'has no kind; add one of {_kinds_text(base)}, for example kind = "{names(base)[0]}"'
        )
    try:
        cls = find(str(value["kind"]), base)
    except UnknownNameError as error:
        raise ValueError(str(error)) from error
    return _make(cls, {key: entry for key, entry in value.items() if key != "kind"})


def _kinds_text(base: type) -> str:
    """Return the kinds of a base class as text; of many kinds the first five and the command that lists all."""
    known_names = names(base)
    if len(known_names) <= MAX_LISTED_NAMES:
        return ", ".join(known_names)
    return f"{', '.join(known_names[:5])}, ... ({len(known_names)} kinds; list them with `dovetail parts`)"


def _only_class(base: type) -> type | None:
    """Return the class of a base that has only one kind, or None; files may omit its kind."""
    return Rig if base is AbstractRig else base if issubclass(base, Part) and base.ONE_KIND else None


def _is_list(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValueError(f"got {format_value(value)}; give a list of tables")
    return value


def _is_table(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"got {format_value(value)}; give a table")
    return value


def _faults(error: ValidationError, table: dict[str, Any], cls: type) -> list[Fault]:
    """Return the faults of a validation error, each with its path in the file."""
    faults = []
    for item in error.errors(include_url=False):
        path = ".".join(str(step) for step in item["loc"])
        if item["type"] == "extra_forbidden":
            at, key = _class_at(table, item["loc"][:-1], cls), str(item["loc"][-1])
            known_names = sorted(_model(at).model_fields)
            faults.append(Fault(path, unknown_key(key, known_names, new_key(at, key))))
        elif item["type"] == "missing":
            faults.append(Fault(path, "is missing; add it"))
        else:
            inner = item.get("ctx", {}).get("error")
            faults.append(
                Fault(path, str(inner) if inner else f"got {format_value(item['input'])}; {item['msg']}")
            )
    return faults


def _class_at(table: dict[str, Any], path: tuple[int | str, ...], cls: type) -> type:
    """Return the class of the part at a path in the table of a part of class `cls`."""
    base = cls
    node: Any = table
    for step in path:
        node = node[step]
        base, _ = parts_of(cls).get(str(step), (base, False))
        if isinstance(node, dict):
            cls = find(str(node["kind"])) if "kind" in node else _only_class(base) or base
    return cls


# writing


def _dump(node: Any, used: set[type]) -> Any:
    """Return a node as it is written to a file; the classes of its parts are added to `used`."""
    if isinstance(node, Part | Method):
        used.add(type(node))
        name = name_of(type(node))
        table = {"kind": name} if name else {}
        for field in sorted(dataclasses.fields(node), key=lambda field: bool(field.kw_only)):
            value = getattr(node, field.name)
            if field.name not in DERIVED_FIELDS and field.init and value is not None:
                # absolute file name, because the table may be read from another folder
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
        raise ValueError("the test contains NaN")
    return node
