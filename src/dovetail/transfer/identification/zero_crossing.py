"""Delay at each zero crossing: variation along a record, for example a sweep."""

from __future__ import annotations

import dataclasses

import numpy as np

from dovetail.core.errors import AnalysisError


@dataclasses.dataclass(frozen=True)
class ZeroCrossings:
    """Delay of each zero crossing of the demand."""

    time: np.ndarray  # [s] crossing of the demand
    delay: np.ndarray  # [s] from the demand to the next crossing of the measured signal in the same direction
    frequency: np.ndarray  # [Hz] of the demand, from the previous and the next crossing


def crossing_delays(
    demand: np.ndarray, measured: np.ndarray, dt: float, *, between_samples: bool = True
) -> ZeroCrossings:
    """Return the delay from each zero crossing of the demand to the next one of the measured signal in its direction.

    With `between_samples` crossings are interpolated; otherwise they are quantised to the first sample after the
    crossing, as in [Wallace 2006, sec. 2.3.4]. The delay must be shorter than a period. A crossing that follows another
    after less than a quarter of the median interval is treated as noise and omitted.
    """
    rising_u, falling_u = (_crossings(np.asarray(demand, float), dt, s, between_samples) for s in (1, -1))
    rising_y, falling_y = (_crossings(np.asarray(measured, float), dt, s, between_samples) for s in (1, -1))
    parts = [np.zeros((0, 3))]
    for demanded, followed in ((rising_u, rising_y), (falling_u, falling_y)):
        if len(demanded) < 3:
            continue
        index = np.searchsorted(followed, demanded, side="left")
        has_next = index < len(followed)
        interval = np.gradient(demanded)
        delay = followed[index[has_next]] - demanded[has_next]
        valid = delay < interval[has_next]
        parts.append(np.stack([demanded[has_next], delay, 1 / interval[has_next]], axis=1)[valid])
    rows = np.concatenate(parts)
    if len(rows) == 0:
        raise AnalysisError(
            "no zero crossings that are common to demand and measured signal; expected at least three cycles about zero"
        )
    rows = rows[np.argsort(rows[:, 0])]
    return ZeroCrossings(*rows.T)


def _crossings(y: np.ndarray, dt: float, sign: int, between: bool) -> np.ndarray:
    y = sign * y
    i = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    times = dt * (i + (-y[i] / (y[i + 1] - y[i]) if between else 1))
    if len(times) < 3:
        return times
    keep = np.r_[True, np.diff(times) > np.median(np.diff(times)) / 4]
    return times[keep]
