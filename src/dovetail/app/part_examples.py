"""Example of every kind of part: its shortest use in the test files of the studies."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from dovetail.studies.registry import studies


@cache
def shortest_uses() -> dict[str, tuple[str, dict[str, Any], str]]:
    """Return path, table and test of the shortest use of every kind in the files of the studies."""
    uses: dict[str, tuple[str, dict[str, Any], str]] = {}
    sizes: dict[str, int] = {}
    for study in studies().values():
        for test in study.tests:
            for path, part in _part_tables(tomllib.loads(Path(test.path).read_text(encoding="utf-8"))):
                name, size = str(part["kind"]), len(str(part))
                if size < sizes.get(name, size + 1):
                    uses[name], sizes[name] = (path, part, test.name), size
    return uses


def _part_tables(node: Any, path: str = ""):
    """Yield path and table of every part in a file."""
    if isinstance(node, dict):
        if "kind" in node and path:
            yield path, node
        for key, value in node.items():
            yield from _part_tables(value, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for value in node:
            yield from _part_tables(value, path)
