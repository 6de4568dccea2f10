"""Settling of a towed body: depth, overshoot, period, settling time, time in the wake."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.signal import find_peaks


@dataclasses.dataclass(frozen=True)
class SettlingMeasures:
    """Measures of the depth history."""

    final: float  # [m] mean of the last tenth
    peak: float  # [m] largest depth
    peak_time: float  # [s]
    overshoot: float  # [m] peak minus final
    period: float  # [s] mean of the first three swings; NaN without a swing
    settling_time: float  # [s] time after which the depth stays within the band
    in_wake: float  # [s] time above `wake_depth`


def settling_measures(
    t: np.ndarray, y: np.ndarray, *, band: float = 0.05, wake_depth: float = 50.0
) -> SettlingMeasures:
    """Measures of the depth y [m] at times t [s]; `band` is relative to the final depth.

    Swings count that stand out by a tenth of the band. Each is timed at its own centre, not at the final depth, which
    a command may change.
    """
    t, y = np.asarray(t, float), np.asarray(y, float)
    final = float(np.mean(y[-max(1, len(y) // 10) :]))
    top = int(np.argmax(y))
    outside = np.flatnonzero(np.abs(y - final) > band * abs(final))
    settling_time = float(t[min(outside[-1] + 1, len(t) - 1)]) if outside.size else float(t[0])
    period = _period(t, y, least=max(0.1 * band * abs(final), 1e-12))
    above = float(np.sum(np.diff(t)[y[:-1] < wake_depth]))
    return SettlingMeasures(
        final, float(y[top]), float(t[top]), float(y[top]) - final, period, settling_time, above
    )


def _period(t: np.ndarray, y: np.ndarray, least: float) -> float:
    """Return the mean period [s] of the first three swings that stand out by `least`.

    Three successive highest and lowest points a, b, c of a decaying swing, or its start, have the centre
    (a c - b^2)/(a + c - 2 b).
    Half a period passes between its crossings on both sides of b.
    """
    ends = np.sort(np.concatenate([[0], *(find_peaks(way * y, prominence=least)[0] for way in (1, -1))]))
    periods = []
    for i, j, k in zip(ends, ends[1:], ends[2:], strict=False):
        a, b, c = y[[i, j, k]]
        side = (y[i : k + 1] - (a * c - b**2) / (a + c - 2 * b)) * np.sign(a - b)
        if side[j - i] < 0 < min(side[0], side[-1]):  # it crosses its centre twice
            first, last = np.flatnonzero(side < 0)[[0, -1]]
            periods.append(2 * float(t[i + last + 1] - t[i + first]))
    return float(np.mean(periods[:3])) if periods else float("nan")
