"""Table of a test file before it is parsed: changed values at paths, absolute file names, user parts.

A file named in a test (a ground motion, a table of operators, an FMU) is relative to the folder of the test file, not
to the working folder: `resolve_paths` makes such names absolute. Fields that are file names are declared with
`core.parameter.file_name`. Files with user parts are read at once, and the table then contains their source text
(`read_user_parts`, see `core.user_parts`).
"""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any

from dovetail.core import Part, user_parts
from dovetail.core.errors import (
    DovetailError,
    Fault,
    ParameterError,
    TestFileError,
    UnknownNameError,
    format_value,
)
from dovetail.core.kinds import find
from dovetail.core.parameter import declared_parameters, file_names
from dovetail.testing.paths import format_path, steps

PARTS = "parts"  # key of the files with user parts, or of their source texts


def read_user_parts(
    table: dict[str, Any], folder: Path, source: str = "test", with_command_line: bool = False
) -> dict[str, Any]:
    """Return the table with the source texts of its user parts, which are loaded; optionally with those of --parts.

    Raises
    ------
    TestFileError
        If a file with user parts cannot be read or run.
    """
    try:
        texts = user_parts.read(table.get(PARTS, []), folder)
        texts = user_parts.with_command_line_parts(texts) if with_command_line else texts
        user_parts.load_user_parts(texts)
    except DovetailError as error:
        raise TestFileError(source, [Fault(PARTS, str(error))]) from error
    return {**table, PARTS: texts} if texts else {key: value for key, value in table.items() if key != PARTS}


def change(table: dict[str, Any], changes: dict[str, Any], source: str = "test") -> dict[str, Any]:
    """Return the table with changed values at paths (see `paths`); missing tables are created.

    A change of a `kind` keeps the values of keys that the new kind also has and removes the others.

    Raises
    ------
    TestFileError
        If a path does not lead through tables and lists, or an entry does not exist.
    """
    table = copy_table(table)
    if isinstance(table.get(PARTS), dict):
        read_user_parts(table, Path(), source)
    for path, value in changes.items():
        try:
            path_steps = steps(path)
        except ParameterError as error:
            raise TestFileError(source, [Fault(path, str(error))]) from error
        node: Any = table
        step: Any
        for i, step in enumerate(path_steps):
            parent = format_path(path_steps[:i])
            if isinstance(node, list):
                entry = int(step) if isinstance(step, int) or step.isdecimal() else len(node)
                if entry >= len(node):
                    text = f"this entry does not exist; the list has {len(node)} entries, counted from 0"
                    raise TestFileError(source, [Fault(format_path(path_steps[: i + 1]), text)])
                step = entry
            elif not isinstance(node, dict):
                text = (
                    f'cannot be set: "{parent}" is {format_value(node)}, not a table; set {parent} as a whole'
                )
                raise TestFileError(source, [Fault(path, text)])
            elif isinstance(step, int):
                text = f'cannot be set: "{parent}" is not a list in the file; set {parent} as a whole'
                raise TestFileError(source, [Fault(path, text)])
            if i == len(path_steps) - 1:
                if step == "kind" and isinstance(node, dict):
                    _remove_old_keys(
                        node, value, {p.removeprefix(f"{parent}.").split(".")[0] for p in changes}
                    )
                node[step] = value
            else:
                node = node[step] if isinstance(node, list) else node.setdefault(step, {})
    return table


def _remove_old_keys(table: dict[str, Any], kind: Any, changed: set[str]) -> None:
    """Remove the keys of the old kind that the new kind does not have, or has in another unit.

    Keys that neither kind has stay, because they are faults to report.
    """
    old, new = (_fields(name) for name in (table.get("kind"), kind))
    if old is not None and new is not None:
        for name in {name for name, _ in old - new} - changed:
            table.pop(name, None)


def _fields(kind: Any) -> set[tuple[str, str]] | None:
    """Return names and units of the fields of a kind, or None for an unknown kind, which the reader reports."""
    try:
        cls = find(kind) if isinstance(kind, str) else None
    except UnknownNameError:
        cls = None
    if cls is None:
        return None
    units = {name: declared.unit for name, declared in declared_parameters(cls).items()}
    return {(field.name, units.get(field.name, "")) for field in dataclasses.fields(cls)}


def copy_table(node: Any) -> Any:
    """Return a deep copy of the tables and lists of a table."""
    if isinstance(node, dict):
        return {key: copy_table(value) for key, value in node.items()}
    return [copy_table(value) for value in node] if isinstance(node, list) else node


def resolve_paths(table: dict[str, Any], root: type, folder: Path) -> dict[str, Any]:
    """Return the table with file names made absolute from `folder`; `root` is the class of the table."""
    return _resolve_table(copy_table(table), root, folder.resolve())


def _resolve_node(node: Any, base: type, folder: Path) -> Any:
    if isinstance(node, list):
        return [_resolve_node(entry, base, folder) for entry in node]
    return _resolve_table(node, _class_of(node, base), folder) if isinstance(node, dict) else node


def _resolve_table(node: dict[str, Any], cls: type, folder: Path) -> dict[str, Any]:
    for name in file_names(cls):
        if isinstance(node.get(name), str) and node[name]:
            node[name] = str(folder / node[name])  # an absolute name stays
    for name, (inner, named) in parts_of(cls).items():
        value = node.get(name)
        if named and isinstance(value, dict):
            node[name] = {key: _resolve_node(entry, inner, folder) for key, entry in value.items()}
        elif isinstance(value, dict | list):
            node[name] = _resolve_node(value, inner, folder)
    return node


def _class_of(node: dict[str, Any], base: type) -> type:
    """Return the class of the part of a table; an unknown kind is reported by the reader."""
    try:
        return find(node["kind"]) if isinstance(node.get("kind"), str) else base
    except UnknownNameError:
        return base


@cache
def parts_of(cls: type) -> dict[str, tuple[type, bool]]:
    """Return the fields of a class that contain parts, each with the class and whether the parts are named."""
    parts = {}
    for name, hint in typing.get_type_hints(cls).items():
        arguments = [a for a in typing.get_args(hint) if a is not type(None)]
        if typing.get_origin(hint) in (types.UnionType, typing.Union, tuple) and arguments:
            hint, arguments = arguments[0], list(typing.get_args(arguments[0]))
        named = typing.get_origin(hint) is dict
        inner = arguments[1] if named else hint
        if isinstance(inner, type) and issubclass(inner, Part):
            parts[name] = (inner, named)
    return parts
