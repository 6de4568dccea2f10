"""What is to be said of a test file that is right: where a quantity was understood in a way worth knowing.

`dovetail check` prints these above the resolved test. So far: cycles that became radians, and radians that became
cycles, by 2 pi; which ticks are recorded, where not all are; and for how long readings may stand still, where the test
does not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dovetail.core.errors import DovetailError
from dovetail.core.units import PARAMETER, turned
from dovetail.testing.paths import Step, declared_at, joined
from dovetail.testing.runnable import Runnable


def remarks(test: Any, table: dict[str, Any]) -> list[str]:
    """Sentences on the test that was made of a table, each with its place."""
    found = []
    for way, text in _texts(table):
        unit = _unit(test, way)
        said = turned(text, unit) if unit is not None else None
        if said is not None:
            found.append(f"{joined(way)}: {said}")
    return found + (test.remarks() if isinstance(test, Runnable) else [])


def _unit(test: Any, way: tuple[Step, ...]) -> str | None:
    """Unit of the parameter to which a way through the table leads; None where it leads to none."""
    try:
        about = declared_at(test, joined(way))
        if about is not None and about.unit == PARAMETER:
            about = declared_at(test, str(way[1]))  # dials.PATH.least: the parameter that is moved
    except DovetailError:
        return None
    return None if about is None or about.choices else about.unit


def _texts(node: Any, way: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], str]]:
    if isinstance(node, str):
        yield way, node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from _texts(value, (*way, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _texts(value, (*way, i))
