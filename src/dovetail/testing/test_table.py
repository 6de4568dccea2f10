"""The table of a test file before it is a test: other values at paths, files found from where they are named.

A file that a test names (a ground motion, a table of operators, an FMU) is looked for from the folder of the file in
which its name is written, whatever the working folder: `located` makes such names whole. Which fields are files says
their declaration, `core.parameter.file_name`. Files with parts of one's own are read at once, and the table holds their
text from then on (`carried`, see `core.brought`).
"""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any

from dovetail.core import Part, user_parts
from dovetail.core.errors import DovetailError, Fault, ParameterError, TestFileError, UnknownNameError, shown
from dovetail.core.kinds import find
from dovetail.core.parameter import declared, file_names
from dovetail.testing.paths import joined, steps

PARTS = "parts"  # files, or their texts, with parts of one's own


def carried(table: dict[str, Any], folder: Path, source: str = "test", said: bool = False) -> dict[str, Any]:
    """The table with the texts of its files of parts, which are known from now on; with those of --parts if `said`.

    Raises
    ------
    TestFileError
        If one cannot be read or run.
    """
    try:
        texts = user_parts.read(table.get(PARTS, []), folder)
        texts = user_parts.with_said(texts) if said else texts
        user_parts.bring(texts)
    except DovetailError as error:
        raise TestFileError(source, [Fault(PARTS, str(error))]) from error
    return {**table, PARTS: texts} if texts else {key: value for key, value in table.items() if key != PARTS}


def change(table: dict[str, Any], changes: dict[str, Any], source: str = "test") -> dict[str, Any]:
    """The table with other values at paths (see `path`); tables on the way are made.

    Where a part is exchanged by its `kind`, it keeps the values that the new kind has too; the others go with the old.

    Raises
    ------
    TestFileError
        If a path leads through what is no table or list, or to an entry that is not there.
    """
    table = copied(table)
    if isinstance(table.get(PARTS), dict):
        carried(table, Path(), source)
    for path, value in changes.items():
        try:
            way = steps(path)
        except ParameterError as error:
            raise TestFileError(source, [Fault(path, str(error))]) from error
        node: Any = table
        step: Any
        for i, step in enumerate(way):
            before = joined(way[:i])
            if isinstance(node, list):
                entry = int(step) if isinstance(step, int) or step.isdecimal() else len(node)
                if entry >= len(node):
                    text = f"there is no such entry; the list has {len(node)}, counted from 0"
                    raise TestFileError(source, [Fault(joined(way[: i + 1]), text)])
                step = entry
            elif not isinstance(node, dict):
                text = f'cannot be set: "{before}" is no table but {shown(node)}; give {before} as a whole'
                raise TestFileError(source, [Fault(path, text)])
            elif isinstance(step, int):
                text = f'cannot be set: "{before}" is no list in the file; give {before} as a whole'
                raise TestFileError(source, [Fault(path, text)])
            if i == len(way) - 1:
                if step == "kind" and isinstance(node, dict):
                    _shed(node, value, {p.removeprefix(f"{before}.").split(".")[0] for p in changes})
                node[step] = value
            else:
                node = node[step] if isinstance(node, list) else node.setdefault(step, {})
    return table


def _shed(table: dict[str, Any], kind: Any, said: set[str]) -> None:
    """Leave out what the old part has and one of another kind has not, or has in another unit.

    What neither has is a fault to be told.
    """
    had, has = (_fields(name) for name in (table.get("kind"), kind))
    if had is not None and has is not None:
        for name in {name for name, _ in had - has} - said:
            table.pop(name, None)


def _fields(kind: Any) -> set[tuple[str, str]] | None:
    """Names and units of the fields of a kind; None where there is no such kind, which the reader will say."""
    try:
        cls = find(kind) if isinstance(kind, str) else None
    except UnknownNameError:
        cls = None
    if cls is None:
        return None
    units = {name: known.unit for name, known in declared(cls).items()}
    return {(field.name, units.get(field.name, "")) for field in dataclasses.fields(cls)}


def copied(node: Any) -> Any:
    """A table with all tables and lists in it, to be changed."""
    if isinstance(node, dict):
        return {key: copied(value) for key, value in node.items()}
    return [copied(value) for value in node] if isinstance(node, list) else node


def located(table: dict[str, Any], root: type, folder: Path) -> dict[str, Any]:
    """The table with the names of files made whole from `folder`; `root` is the class that it is of."""
    return _completed(copied(table), root, folder.resolve())


def _located(node: Any, base: type, folder: Path) -> Any:
    if isinstance(node, list):
        return [_located(entry, base, folder) for entry in node]
    return _completed(node, _class_of(node, base), folder) if isinstance(node, dict) else node


def _completed(node: dict[str, Any], cls: type, folder: Path) -> dict[str, Any]:
    for name in file_names(cls):
        if isinstance(node.get(name), str) and node[name]:
            node[name] = str(folder / node[name])  # one that is whole already stays
    for name, (inner, named) in parts_of(cls).items():
        value = node.get(name)
        if named and isinstance(value, dict):
            node[name] = {key: _located(entry, inner, folder) for key, entry in value.items()}
        elif isinstance(value, dict | list):
            node[name] = _located(value, inner, folder)
    return node


def _class_of(node: dict[str, Any], base: type) -> type:
    """The class of the part whose table this is; of one whose kind is not known the reader will say so."""
    try:
        return find(node["kind"]) if isinstance(node.get("kind"), str) else base
    except UnknownNameError:
        return base


@cache
def parts_of(cls: type) -> dict[str, tuple[type, bool]]:
    """Fields of a class that hold parts, with the class of these, and whether they are held by name."""
    found = {}
    for name, hint in typing.get_type_hints(cls).items():
        arguments = [a for a in typing.get_args(hint) if a is not type(None)]
        if typing.get_origin(hint) in (types.UnionType, typing.Union, tuple) and arguments:
            hint, arguments = arguments[0], list(typing.get_args(arguments[0]))
        named = typing.get_origin(hint) is dict
        inner = arguments[1] if named else hint
        if isinstance(inner, type) and issubclass(inner, Part):
            found[name] = (inner, named)
    return found
