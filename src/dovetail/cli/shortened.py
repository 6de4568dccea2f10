"""Resolved test with shortened arrays, for the terminal.

A shortened array is not valid TOML, as in `[0.1, 0.2, 0.3, ..., 0.5]`, so it cannot be mistaken for the test.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tomli_w

MAX_ENTRIES = 24  # longest array that is printed in full (numbers or lines)
FIRST_ENTRIES = 3  # first entries that are printed of a longer array; its last entry follows


def short_toml(table: dict[str, Any]) -> str:
    """Return a table as TOML with shortened arrays."""
    arrays: list[str] = []
    text = tomli_w.dumps(_with_placeholders(table, arrays))
    for i, text_ in enumerate(arrays):
        text = text.replace(f'"{_placeholder(i)}"', text_)
    return text


def _placeholder(number: int) -> str:
    return f"<array {number}>"


def _with_placeholders(node: Any, arrays: list[str]) -> Any:
    """Return the table with a mark in place of each long array; the text of the array is appended to `shown`."""
    if isinstance(node, dict):
        return {key: _with_placeholders(value, arrays) for key, value in node.items()}
    if not isinstance(node, list):
        return node
    text_ = _lines(node) if all(isinstance(v, str) for v in node) else _numbers(node)
    if not text_:
        return [_with_placeholders(value, arrays) for value in node]
    arrays.append(text_)
    return _placeholder(len(arrays) - 1)


def _lines(node: list[str]) -> str:
    return f"[...]  # {len(node)} lines; --full prints all" if len(node) > MAX_ENTRIES else ""


def _numbers(node: list[Any]) -> str:
    """Return the shortened text of a long numeric array of any dimension; empty for any other list."""
    try:
        array = np.asarray(node)
    except ValueError:  # rows of different lengths
        return ""
    if array.dtype.kind not in "fiu" or array.size <= MAX_ENTRIES:
        return ""
    entries = [f"{value!r}" for value in array.ravel().tolist()]
    size = " x ".join(map(str, array.shape))
    return f"[{', '.join(entries[:FIRST_ENTRIES])}, ..., {entries[-1]}]  # {size} numbers; --full prints all"
