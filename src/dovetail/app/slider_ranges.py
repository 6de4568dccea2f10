"""Ranges of sliders for the numbers of a test."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from dovetail.core.errors import DovetailError
from dovetail.core.units import PARAMETER, SIGNAL
from dovetail.testing.paths import declared_at, get
from dovetail.testing.test import Test

SPAN = 4.0  # upper end of a range, as a multiple of the present value


@dataclass(frozen=True)
class SliderRange:
    """Number of a test with the range of its slider."""

    path: str
    meaning: str
    unit: str  # unit of value and range; empty if it has none
    low: float
    high: float
    value: float
    traced: bool  # traced: changes without recompilation; otherwise each value is compiled


def slider_ranges(test: Any, paths: Iterable[str]) -> list[SliderRange]:
    """Return the slider ranges at some paths; paths without a single number are skipped."""
    return [slider for path in paths if (slider := _slider_range(test, path)) is not None]


def _slider_range(test: Any, path: str) -> SliderRange | None:
    try:
        value, about = get(test, path), declared_at(test, path)
    except DovetailError:
        return None
    if about is None or about.choices or isinstance(value, str | bool) or value is None:
        return None
    number = float(np.ravel(value)[0]) if np.size(value) == 1 else math.nan
    if not math.isfinite(number):
        return None
    tunable = test.tunable.get(path) if isinstance(test, Test) else None
    if tunable is not None:
        low, high = float(tunable.min), float(tunable.max)
    else:
        low, high = (0.0, SPAN * number) if number > 0 else (SPAN * number, 0.0) if number < 0 else (0.0, 1.0)
        low = max(low, about.at_least, about.above + 1e-3 * abs(number or 1.0))
        high = min(high, about.at_most, about.below - 1e-3 * abs(number or 1.0))
    if isinstance(value, int):
        low, high = math.ceil(low), math.floor(high)
    unit = "" if about.unit in ("1", SIGNAL, PARAMETER) else about.unit
    return SliderRange(
        path,
        about.about,
        unit,
        min(low, number),
        max(high, number),
        number,
        isinstance(value, jax.Array),
    )
