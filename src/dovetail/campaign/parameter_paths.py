"""Places in a test that a campaign varies: their units, and room for what varies there."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dovetail.campaign.axes import Axis
from dovetail.core.errors import DovetailError
from dovetail.core.units import SIGNAL
from dovetail.testing.paths import declared_at, get, put
from dovetail.testing.test_file import parse


def parsed(table: Mapping[str, Any], of: str) -> Any:
    """The test that a table holds, read and checked once for all who ask for it (`forget` reads its files anew)."""
    return _parsed(json.dumps(table, default=repr), of)


@lru_cache(maxsize=32)
def _parsed(text: str, of: str) -> Any:
    return parse(json.loads(text), of)


forget = _parsed.cache_clear


def unit_at(test: Any, entry: Mapping[str, Any]) -> str:
    """Unit of the parameter that an axis's table names; any, where it names none."""
    path = entry.get("path") or (entry.get("paths") or [""])[0]
    try:
        about = declared_at(test, path) if isinstance(path, str) and path else None
    except DovetailError:
        return SIGNAL
    return about.unit if about is not None and not about.choices else SIGNAL


def longest_buffers(test: Any, axes: list[Axis], points: Mapping[str, np.ndarray] | None = None) -> Any:
    """The test with room for the longest of every delay that varies, over its axis or among points."""
    for axis in axes:
        for path in axis.paths:
            parent, _, name = path.rpartition(".")
            part = get(test, parent) if parent else test
            if name == "delay" and hasattr(part, "longest"):
                most = np.max(axis.ends() if points is None else points[axis.name])
                longest = max(float(most), part.longest)
                test = put(test, parent, dataclasses.replace(part, longest=longest))
    return test


def flat(table: Mapping[str, Any], at: str = "") -> dict[str, Any]:
    """A nested table by paths."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        # what a dial or a schedule moves is named by a path, so that its key holds dots
        path = f'{at}"{key}"' if at in ("dials.", "schedule.") else f"{at}{key}"
        found |= flat(value, f"{path}.") if isinstance(value, Mapping) else {path: value}
    return found
