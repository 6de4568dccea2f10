"""Remarks on a valid test file: conversions and defaults that the user should check.

`dovetail check` prints them above the resolved test. They concern cycles converted to radians and radians to cycles
(factor 2 pi), the recorded ticks if not all are recorded, and the default of the frozen-sensor limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dovetail.core.errors import DovetailError
from dovetail.core.units import PARAMETER, angle_unit_remark
from dovetail.testing.limits import frozen_sensor_remark
from dovetail.testing.paths import Step, declared_at, format_path
from dovetail.testing.recorder import interval_remark
from dovetail.testing.test import Test


def remarks(test: Any, table: dict[str, Any]) -> list[str]:
    """Return the remarks on a test read from a table, each with its path."""
    lines = []
    for path, text in _texts(table):
        unit = _unit(test, path)
        remark = angle_unit_remark(text, unit) if unit is not None else None
        if remark is not None:
            lines.append(f"{format_path(path)}: {remark}")
    if isinstance(test, Test) and test.record_every > 1:
        lines.append(interval_remark(test.tick_count, test.record_every, test.dt))
    if isinstance(test, Test) and test.rig is not None and test.limits.frozen_sensor is None:
        lines.append(f"limits.frozen_sensor: not set; {frozen_sensor_remark(test)}")
    return lines


def _unit(test: Any, path: tuple[Step, ...]) -> str | None:
    """Return the unit of the parameter at a path, or None if there is no parameter."""
    try:
        about = declared_at(test, format_path(path))
        if about is not None and about.unit == PARAMETER:
            about = declared_at(test, str(path[1]))  # tunable.PATH.min: unit of the tuned parameter
    except DovetailError:
        return None
    return None if about is None or about.choices else about.unit


def _texts(node: Any, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], str]]:
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from _texts(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _texts(value, (*path, i))
