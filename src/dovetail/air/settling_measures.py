"""Settling of a towed body: depth, overshoot, period, settling time, time in the wake."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np


@dataclasses.dataclass(frozen=True)
class SettlingMeasures:
    """Measures of the depth history."""

    final: float  # [m] mean of the last tenth
    peak: float  # [m] largest depth
    peak_time: float  # [s]
    overshoot: float  # [m] peak minus final
    period: float  # [s] twice the mean time between crossings of the final depth; NaN for fewer than two crossings
    settling_time: float  # [s] time after which the depth stays within the band
    in_wake: float  # [s] time above `wake_depth`


def settling_measures(
    t: np.ndarray, y: np.ndarray, *, band: float = 0.05, wake_depth: float = 50.0
) -> SettlingMeasures:
    """Measures of the depth y [m] at times t [s]; `band` is relative to the final depth."""
    t, y = np.asarray(t, float), np.asarray(y, float)
    final = float(np.mean(y[-max(1, len(y) // 10) :]))
    top = int(np.argmax(y))
    outside = np.flatnonzero(np.abs(y - final) > band * abs(final))
    settling_time = float(t[min(outside[-1] + 1, len(t) - 1)]) if outside.size else float(t[0])
    # crossings of the final depth for swings larger than a tenth of the band
    side = np.sign(y - final)
    cross = np.flatnonzero(side[1:] * side[:-1] < 0)
    swing = [np.max(np.abs(y[a : b + 1] - final)) for a, b in itertools.pairwise(cross)]
    gaps = np.diff(t[cross])[np.array(swing) > 0.1 * band * abs(final)] if len(cross) > 1 else np.array([])
    period = 2 * float(np.mean(gaps[:3])) if gaps.size else float("nan")
    above = float(np.sum(np.diff(t)[y[:-1] < wake_depth]))
    return SettlingMeasures(
        final, float(y[top]), float(t[top]), float(y[top]) - final, period, settling_time, above
    )
