"""Time budget of a tick: computation, exchange and lateness as fractions of dt.

For each tick a run records the time from the last reading to the next command (`compute_time`), from command to reading
(`exchange_time`), and the delay of the command after its deadline (`tick_lateness`). The sum of computation and
exchange must be shorter than a tick; the fraction at 99.9 % shows the margin.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.core.recording import Recording

QUANTILES = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}


@dataclasses.dataclass(frozen=True)
class TickBudget:
    """Times of a run [s] at the quantiles of `QUANTILES`, and fractions of a tick."""

    dt: float  # [s]
    compute: tuple[float, ...]
    exchange: tuple[float, ...]
    lateness: tuple[float, ...]
    used: tuple[float, ...]  # computation and exchange of a tick divided by dt
    late_fraction: float  # fraction of ticks that are late by at least half a tick

    @property
    def fits(self) -> bool:
        """True if 99.9 % of the ticks are shorter than dt."""
        return self.used[list(QUANTILES).index("99.9 %")] < 1.0

    def __str__(self) -> str:
        rows = []
        for name in ("lateness", "exchange", "compute"):
            values = zip(QUANTILES, getattr(self, name), strict=True)
            rows.append(f"{name:<9} " + ", ".join(f"{word} {1e6 * value:.0f} us" for word, value in values))
        fractions = ", ".join(f"{word} {100 * v:.0f} %" for word, v in zip(QUANTILES, self.used, strict=True))
        rows.append(
            f"used      {fractions} of a tick of {1e6 * self.dt:.0f} us; "
            f"{100 * self.late_fraction:.2g} % of the ticks late"
        )
        return "\n".join(rows)


def tick_budget(data: Recording) -> TickBudget:
    """Return the time budget of a real-time run from its recording."""
    if "compute_time" not in data or data.sizes["time"] < 2:
        raise AnalysisError("tick_budget: expected the dataset of a real-time run with at least one tick")
    dt = float(data.time.values[1] - data.time.values[0])
    compute, exchange, late = (
        data[name].values[1:] for name in ("compute_time", "exchange_time", "tick_lateness")
    )

    def quantiles(values: np.ndarray) -> tuple[float, ...]:
        return tuple(float(np.quantile(values, q)) for q in QUANTILES.values())

    return TickBudget(
        dt,
        quantiles(compute),
        quantiles(exchange),
        quantiles(late),
        quantiles((compute + exchange) / dt),
        float(np.mean(late >= dt / 2)),
    )
