"""Check a run against the acceptance criteria of its test.

>>> print(*evaluate_criteria(run.test.accept, comparison, stability), sep="\\n")  # doctest: +SKIP
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.core.si_prefix import FRACTION, value_text
from dovetail.fidelity.audit import audit
from dovetail.fidelity.compare import Comparison
from dovetail.testing.acceptance import Accept


@dataclass(frozen=True)
class Criterion:
    """Acceptance criterion: quantity, value and limit; `is_satisfied` is None if there is no value."""

    quantity: str
    value: float
    limit: float
    unit: str = FRACTION
    is_minimum: bool = False  # the limit is a minimum, not a maximum

    @property
    def is_satisfied(self) -> bool | None:
        """Whether the value satisfies the limit; None if there is no value."""
        if math.isnan(self.value):
            return None
        return self.value >= self.limit if self.is_minimum else self.value <= self.limit

    def __str__(self) -> str:
        if self.is_satisfied is None:
            return f"{self.quantity}: not determined (limit {value_text(self.limit, self.unit)})"
        bound = "minimum" if self.is_minimum else "maximum"
        value, limit = (value_text(number, self.unit) for number in (self.value, self.limit))
        return f"{self.quantity} {value}, {bound} {limit}"


def evaluate_criteria(
    accept: Accept | None,
    comparison: Comparison | None = None,
    stability: Any = None,
    data: Recording | None = None,
) -> list[Criterion]:
    """Return the acceptance criteria of a test with values from comparison, stability and recording of a run."""
    if accept is None:
        return []
    quantities = {
        "response_error": ("response error", lambda: _max(comparison and comparison.rms["e1"])),
        "tracking_error": ("tracking error", lambda: _max(comparison and comparison.rms["e2"])),
        "peak_response_error": ("peak response error", lambda: _max(comparison and comparison.peak["e1"])),
        "margin": ("delay margin", lambda: _min(None if stability is None else stability.margin)),
        "added_energy_fraction": (
            "energy added by the rig",
            lambda: _max(comparison and comparison.added_energy_fraction),
        ),
        "energy_residual": (
            "energy residual",
            lambda: math.nan if data is None else audit(data).energy_fraction,
        ),
    }
    return [
        Criterion(quantity, value(), limit, "s" if name == "margin" else FRACTION, name == "margin")
        for name, (quantity, value) in quantities.items()
        if (limit := getattr(accept, name)) is not None
    ]


def _max(value: Any) -> float:
    values = np.atleast_1d(np.asarray(math.nan if value is None else value, float))
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan


def _min(value: Any) -> float:
    return math.nan if value is None else float(np.min(np.asarray(value, float)))
