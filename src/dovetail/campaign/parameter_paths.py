"""Paths of varied parameters in a test: units, cached tests, and delay buffers of sufficient length."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dovetail.campaign.axes import VariedParameter
from dovetail.core.errors import DovetailError
from dovetail.core.units import SIGNAL
from dovetail.testing.paths import declared_at, get, replace_value
from dovetail.testing.test_file import parse


def parse_cached(table: Mapping[str, Any], name: str) -> Any:
    """Return the test of a table, checked; cached until `clear_cache`, which also makes its files be read again."""
    return _parse_text(json.dumps(table, default=repr), name)


@lru_cache(maxsize=32)
def _parse_text(text: str, name: str) -> Any:
    return parse(json.loads(text), name)


clear_cache = _parse_text.cache_clear


def unit_at(test: Any, entry: Mapping[str, Any]) -> str:
    """Return the unit of the parameter that a `[[parameter]]` table names; `SIGNAL` (any) if it names none."""
    path = entry.get("path") or (entry.get("paths") or [""])[0]
    try:
        about = declared_at(test, path) if isinstance(path, str) and path else None
    except DovetailError:
        return SIGNAL
    return about.unit if about is not None and not about.choices else SIGNAL


def size_delay_buffers(
    test: Any, parameters: list[VariedParameter], points: Mapping[str, np.ndarray] | None = None
) -> Any:
    """Return the test with buffers for the largest value of each varied delay, in its range or among `points`."""
    for parameter in parameters:
        for path in parameter.paths:
            parent, _, name = path.rpartition(".")
            part = get(test, parent) if parent else test
            if name == "delay" and hasattr(part, "max_delay"):
                values = parameter.bounds() if points is None else points[parameter.name]
                max_delay = max(float(np.max(values)), part.max_delay)
                test = replace_value(test, parent, dataclasses.replace(part, max_delay=max_delay))
    return test


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested table as values by dotted path."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        # keys of these tables are paths themselves, with dots
        path = f'{prefix}"{key}"' if prefix in ("tunable.", "schedule.") else f"{prefix}{key}"
        values |= flatten(value, f"{path}.") if isinstance(value, Mapping) else {path: value}
    return values
