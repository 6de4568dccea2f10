"""Whether a run came to what its test asks of it.

>>> print(*judged(run.test.accept, comparison, stability), sep="\\n")  # doctest: +SKIP
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from dovetail.fidelity.audit import audit
from dovetail.fidelity.compare import Comparison
from dovetail.testing.acceptance import Accept


@dataclass(frozen=True)
class Demand:
    """One thing that was asked: what, what came out, what was allowed; `met` is None where nothing came out."""

    what: str
    value: float
    limit: float
    unit: str = "1"  # of a share, or "s"
    least: bool = False  # the limit is the least that is allowed, not the most

    @property
    def met(self) -> bool | None:
        """Whether it holds."""
        if math.isnan(self.value):
            return None
        return self.value >= self.limit if self.least else self.value <= self.limit

    def __str__(self) -> str:
        if self.met is None:
            return f"{self.what}: nothing came out to hold against {shown(self.limit, self.unit)}"
        than = "at least" if self.least else "at most"
        return f"{self.what} {shown(self.value, self.unit)}, {than} {shown(self.limit, self.unit)} asked"


def judged(
    accept: Accept | None,
    comparison: Comparison | None = None,
    stability: Any = None,
    data: xr.Dataset | None = None,
) -> list[Demand]:
    """All that a test asks, each with what came out of a run: its comparison, the loop's stability, its recording."""
    if accept is None:
        return []
    asked = {
        "error": ("error against the ideal", lambda: _most(comparison and comparison.rms["e1"])),
        "local_error": ("local error", lambda: _most(comparison and comparison.rms["e2"])),
        "peak_error": ("peak error against the ideal", lambda: _most(comparison and comparison.peak["e1"])),
        "margin": ("margin", lambda: _least(None if stability is None else stability.margin)),
        "energy": ("energy that the rig adds", lambda: _most(comparison and comparison.energy_share)),
        "residual": (
            "residual of the energy",
            lambda: math.nan if data is None else audit(data).energy_share,
        ),
    }
    return [
        Demand(what, find(), limit, "s" if name == "margin" else "1", name == "margin")
        for name, (what, find) in asked.items()
        if (limit := getattr(accept, name)) is not None
    ]


def shown(value: float, unit: str) -> str:
    """A share in percent, a time in milliseconds; what is no more than rounding is not written out."""
    if unit == "s":
        return "unlimited" if math.isinf(value) else f"{1e3 * value:.3g} ms"
    return "below 0.001 %" if 0 < abs(value) < 1e-5 else f"{100 * value:.3g} %"


def _most(value: Any) -> float:
    found = np.atleast_1d(np.asarray(math.nan if value is None else value, float))
    return float(np.nanmax(found)) if np.isfinite(found).any() else math.nan


def _least(value: Any) -> float:
    return math.nan if value is None else float(np.min(np.asarray(value, float)))
