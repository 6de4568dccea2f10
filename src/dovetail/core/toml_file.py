"""Reader for TOML files with error messages for damaged files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from dovetail.core import plain_file
from dovetail.core.errors import Fault, OutputError, TestFileError, reason

MAX_DEPTH = 50  # of nested lists and tables; files of Dovetail need at most ten
MAX_NAMES = 20  # joined by dots in a key
MAX_SIZE = 16 * 2**20  # [B] of a file; a resolved test with its ground motion has one

_NAME = r"""[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
LONG_KEY = re.compile(rf"(?:^|[\[{{,]){_NAME}(?:\.{_NAME}){{{MAX_NAMES}}}", re.MULTILINE)


def read_toml(path: Path, content: str) -> dict[str, Any]:
    """Return the table in a file; `content` describes the file in error messages.

    Raises
    ------
    TestFileError
        If the file is not TOML.
    OutputError
        If the file cannot be read.
    """
    try:
        text = plain_file.read(path, MAX_SIZE, follow=True).decode("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise OutputError(
            f"{path}: cannot be read ({reason(error)}); give the path of a {content}"
        ) from error
    return toml_table(text, path.name)


def toml_table(text: str, source: str) -> dict[str, Any]:
    """Return the table in a text; `source` is its name in the `TestFileError` if it is not TOML."""
    try:
        if LONG_KEY.search(text):  # time and memory of the parser grow with the square of the number of names
            raise ValueError(f"a key has more than {MAX_NAMES} names joined by dots")
        table = tomllib.loads(text)
        _check_depth(table, MAX_DEPTH)
    except RecursionError as error:
        fault = Fault(
            "file", f"tables or lists are nested more than {MAX_DEPTH} deep; at most ten are needed"
        )
        raise TestFileError(source, [fault]) from error
    except ValueError as error:  # not TOML, or a number with thousands of digits
        raise TestFileError(source, [Fault("file", f"is not TOML: {error}")]) from error
    return table


def _check_depth(node: Any, left: int) -> None:
    if left == 0:
        raise RecursionError
    for entry in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _check_depth(entry, left - 1)
