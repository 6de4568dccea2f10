"""What a tick costs against its length: compute, exchange, lateness, as shares of dt.

A run records of every tick the time from the last reading to the next command (`compute_time`), from command to
reading (`exchange_time`) and by how much the command came after its deadline (`tick_lateness`). Compute and
exchange together have to fit into a tick; the share at 99.9 % says how much room is left.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError

QUANTILES = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}


@dataclasses.dataclass(frozen=True)
class Budget:
    """Times of a run [s] at the quantiles of `QUANTILES`, and their share of a tick."""

    dt: float  # [s]
    compute: tuple[float, ...]
    exchange: tuple[float, ...]
    lateness: tuple[float, ...]
    used: tuple[float, ...]  # compute and exchange of one tick over dt
    late: float  # share of ticks that were late by half a tick or more

    @property
    def fits(self) -> bool:
        """Whether 999 ticks of a thousand are done before the next one."""
        return self.used[list(QUANTILES).index("99.9 %")] < 1.0

    def __str__(self) -> str:
        rows = []
        for name in ("lateness", "exchange", "compute"):
            values = zip(QUANTILES, getattr(self, name), strict=True)
            rows.append(f"{name:<9} " + ", ".join(f"{word} {1e6 * value:.0f} us" for word, value in values))
        shares = ", ".join(f"{word} {100 * v:.0f} %" for word, v in zip(QUANTILES, self.used, strict=True))
        rows.append(
            f"of a tick {shares} of {1e6 * self.dt:.0f} us; {100 * self.late:.2g} % of the ticks late"
        )
        return "\n".join(rows)


def budget(data: xr.Dataset) -> Budget:
    """The budget of a real-time run, from its dataset."""
    if "compute_time" not in data or data.sizes["time"] < 2:
        raise AnalysisError("a budget needs a run in real time with at least one tick")
    dt = float(data.time[1] - data.time[0])
    compute, exchange, late = (
        data[name].values[1:] for name in ("compute_time", "exchange_time", "tick_lateness")
    )

    def quantiles(values: np.ndarray) -> tuple[float, ...]:
        return tuple(float(np.quantile(values, q)) for q in QUANTILES.values())

    return Budget(
        dt,
        quantiles(compute),
        quantiles(exchange),
        quantiles(late),
        quantiles((compute + exchange) / dt),
        float(np.mean(late >= dt / 2)),
    )
