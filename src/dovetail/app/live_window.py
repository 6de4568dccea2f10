"""Newest part of a live run: motion, force and lateness, and the largest share of each limit."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.app.explore_result import Trace
from dovetail.core import signals
from dovetail.core.errors import DovetailError
from dovetail.links.live_run import find_live_run
from dovetail.testing import load
from dovetail.testing.limits import DEMAND_LIMITS, MEASUREMENT_LIMITS, rotary_axes
from dovetail.testing.saved_run import TEST

SECONDS = 10.0  # [s] of the window
CHARTS = {  # chart: its signals, and the limit drawn in it
    "motion": (("displacement", "measured_displacement"), "displacement"),
    "force": (("measured_force",), "force"),
    "lateness": (("tick_lateness",), ""),
}


@dataclasses.dataclass(frozen=True)
class LimitShare:
    """Largest value of a signal in the window, beside its limit."""

    name: str
    value: float
    limit: float
    unit: str

    @property
    def fraction(self) -> float:
        """Fraction of the limit."""
        return self.value / self.limit


@dataclasses.dataclass(frozen=True)
class LiveWindow:
    """Newest samples of a live run."""

    charts: dict[str, dict[str, Trace]]  # traces by signal, of each chart that has signals
    limits: dict[str, float]  # limit drawn in a chart
    shares: tuple[LimitShare, ...]
    samples: int
    end: float  # [s] time of the newest sample


def live_window(folder: str | Path, seconds: float = SECONDS) -> LiveWindow | None:
    """Return the newest samples of the live run in a folder; None if it has none yet, or has ended."""
    run = find_live_run(folder)
    try:
        ring = run.open_ring() if run is not None else None
        rows = ring.latest(max(1, round(seconds / ring.dt))) if ring is not None else {}
        limits = _limits(Path(folder) / TEST)
    except (OSError, DovetailError):
        return None
    if not len(rows.get("time", ())):
        return None
    times = rows["time"]
    charts = {
        chart: {name: _trace(name, times, rows[name]) for name in names if name in rows}
        for chart, (names, _) in CHARTS.items()
    }
    shares = tuple(
        LimitShare(name, peak, limit, unit)
        for name, (signal, limit, unit) in limits.items()
        if (peak := _peak(rows, signal)) is not None
    )
    return LiveWindow(
        {chart: traces for chart, traces in charts.items() if traces},
        {chart: limits[limit][1] for chart, (_, limit) in CHARTS.items() if limit in limits},
        shares,
        len(times),
        float(times[-1]),
    )


@lru_cache(maxsize=8)
def _limits(file: Path) -> dict[str, tuple[str, float, str]]:
    """Return signal, limit and unit of each finite limit of a test; with several axes the smallest limit."""
    test: Any = load(file)
    rotary = rotary_axes(test)
    rows = {}
    for monitored in (*DEMAND_LIMITS, *MEASUREMENT_LIMITS):
        limit = float(np.min(test.limits.limit_of(monitored.limit, rotary)))
        if np.isfinite(limit):
            rows[monitored.limit] = (monitored.signal, limit, signals.signal(monitored.signal).unit)
    return rows


def _peak(rows: dict[str, np.ndarray], signal: str) -> float | None:
    """Return the largest magnitude of a signal; None if it was not recorded."""
    if signal == "tracking_error" and {"displacement", "measured_displacement"} <= set(rows):
        values = rows["displacement"] - rows["measured_displacement"]
    elif signal in rows:
        values = rows[signal]
    else:
        return None
    return float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))


def _trace(name: str, times: np.ndarray, values: np.ndarray) -> Trace:
    about = signals.signal(name)
    return Trace.from_signal(about.label, about.unit, times, values)
