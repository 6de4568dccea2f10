"""Values that a slider may move: what they are, and from where to where."""

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
from dovetail.testing.runnable import Runnable

SPAN = 4.0  # times its value that a parameter reaches up to


@dataclass(frozen=True)
class Knob:
    """A number of a test, with the stretch over which it is tried."""

    path: str
    meaning: str
    unit: str  # in which value and ends are; empty for none
    low: float
    high: float
    value: float
    moves: bool  # without a compilation: it is traced; else it fixes a shape, and each value is compiled for


def knobs(test: Any, paths: Iterable[str]) -> list[Knob]:
    """The knobs of a test at some paths; those that name no single number are left out."""
    return [knob for path in paths if (knob := _knob(test, path)) is not None]


def _knob(test: Any, path: str) -> Knob | None:
    try:
        value, about = get(test, path), declared_at(test, path)
    except DovetailError:
        return None
    if about is None or about.choices or isinstance(value, str | bool) or value is None:
        return None
    number = float(np.ravel(value)[0]) if np.size(value) == 1 else math.nan
    if not math.isfinite(number):
        return None
    dial = test.dials.get(path) if isinstance(test, Runnable) else None
    if dial is not None:
        low, high = float(dial.least), float(dial.most)
    else:
        low, high = (0.0, SPAN * number) if number > 0 else (SPAN * number, 0.0) if number < 0 else (0.0, 1.0)
        low = max(low, about.at_least, about.above + 1e-3 * abs(number or 1.0))
        high = min(high, about.at_most, about.below - 1e-3 * abs(number or 1.0))
    if isinstance(value, int):
        low, high = math.ceil(low), math.floor(high)
    unit = "" if about.unit in ("1", SIGNAL, PARAMETER) else about.unit
    return Knob(
        path,
        about.about,
        unit,
        min(low, number),
        max(high, number),
        number,
        isinstance(value, jax.Array),
    )
