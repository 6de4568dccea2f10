"""Reading a file in TOML: a nested table, or an error that says what is wrong with the file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from dovetail.core.errors import Fault, OutputError, TestFileError, reason

DEEPEST = 50  # lists and tables inside one another; ours have at most ten


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The table in a file; `what` it should be is said where it cannot be read.

    Raises
    ------
    TestFileError
        If it is not TOML.
    OutputError
        If there is no such file.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise OutputError(f"{path}: cannot be read ({reason(error)}); give the path of a {what}") from error
    return toml_table(text, path.name)


def toml_table(text: str, source: str) -> dict[str, Any]:
    """The table in a text; `source` names it where it is not TOML, which raises `TestFileError`."""
    try:
        table = tomllib.loads(text)
        _check_depth(table, DEEPEST)
    except RecursionError as error:
        fault = Fault(
            "file", f"tables or lists lie in one another more than {DEEPEST} deep; ours need some ten"
        )
        raise TestFileError(source, [fault]) from error
    except ValueError as error:  # not TOML, or a number of thousands of digits
        raise TestFileError(source, [Fault("file", f"is not TOML: {error}")]) from error
    return table


def _check_depth(node: Any, left: int) -> None:
    if left == 0:
        raise RecursionError
    for entry in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _check_depth(entry, left - 1)
