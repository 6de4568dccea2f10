"""A resolved test as people read it: arrays that nobody reads are shown by their ends.

What is shortened says so and is no TOML: `[0.1, 0.2, 0.3, ..., 0.5]` cannot be taken for the test by mistake.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tomli_w

MOST = 24  # numbers or lines of an array that is printed whole
FIRST = 3  # entries of a longer one that are shown, and the last


def short_toml(table: dict[str, Any]) -> str:
    """A table as TOML, its long arrays shortened."""
    shown: list[str] = []
    text = tomli_w.dumps(_marked(table, shown))
    for i, words in enumerate(shown):
        text = text.replace(f'"{_mark(i)}"', words)
    return text


def _mark(number: int) -> str:
    return f"<array {number}>"


def _marked(node: Any, shown: list[str]) -> Any:
    """The table with marks in the place of long arrays, whose words are added to `shown`."""
    if isinstance(node, dict):
        return {key: _marked(value, shown) for key, value in node.items()}
    if not isinstance(node, list):
        return node
    words = _lines(node) if all(isinstance(v, str) for v in node) else _numbers(node)
    if not words:
        return [_marked(value, shown) for value in node]
    shown.append(words)
    return _mark(len(shown) - 1)


def _lines(node: list[str]) -> str:
    return f"[...]  # {len(node)} lines; --whole prints them" if len(node) > MOST else ""


def _numbers(node: list[Any]) -> str:
    """Words of a long array of numbers in any number of dimensions; nothing of any other list."""
    try:
        array = np.asarray(node)
    except ValueError:  # rows of different lengths
        return ""
    if array.dtype.kind not in "fiu" or array.size <= MOST:
        return ""
    entries = [f"{value!r}" for value in array.ravel().tolist()]
    size = " x ".join(map(str, array.shape))
    return f"[{', '.join(entries[:FIRST])}, ..., {entries[-1]}]  # {size} numbers; --whole prints them"
