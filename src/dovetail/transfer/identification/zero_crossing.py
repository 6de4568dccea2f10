"""Delay at every passage through zero: how it varies along a record, a sweep above all."""

from __future__ import annotations

import dataclasses

import numpy as np

from dovetail.core.errors import AnalysisError


@dataclasses.dataclass(frozen=True)
class ZeroCrossings:
    """Delay of each zero crossing of the demand."""

    time: np.ndarray  # [s] of the demand's crossing
    delay: np.ndarray  # [s] until the measured signal crosses in the same direction
    frequency: np.ndarray  # [Hz] of the demand there, from the crossings before and after


def crossing_delays(
    demand: np.ndarray, measured: np.ndarray, dt: float, *, between_samples: bool = True
) -> ZeroCrossings:
    """Delay from each crossing of zero of the demand to the next of the measured in the same direction.

    With `between_samples` crossings are interpolated; without, they are quantised to the first sample on
    the other side, as in [Wallace 2006, sec. 2.3.4]. The delay must be shorter than a period. Crossings
    less than a quarter of the median spacing after another are taken as noise and left out.
    """
    rising_u, falling_u = (_crossings(np.asarray(demand, float), dt, s, between_samples) for s in (1, -1))
    rising_y, falling_y = (_crossings(np.asarray(measured, float), dt, s, between_samples) for s in (1, -1))
    parts = [np.zeros((0, 3))]
    for of, follower in ((rising_u, rising_y), (falling_u, falling_y)):
        if len(of) < 3:
            continue
        place = np.searchsorted(follower, of, side="left")
        known = place < len(follower)
        spacing = np.gradient(of)
        delay = follower[place[known]] - of[known]
        within = delay < spacing[known]
        parts.append(np.stack([of[known], delay, 1 / spacing[known]], axis=1)[within])
    rows = np.concatenate(parts)
    if len(rows) == 0:
        raise AnalysisError(
            "demand and measured share no crossings of zero; give three cycles or more, about zero"
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
