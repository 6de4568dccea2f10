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
    period: float  # [s] twice the median time between highest and lowest points; NaN for fewer than two
    settling_time: float  # [s] time after which the depth stays within the band
    in_wake: float  # [s] time above `wake_depth`


def settling_measures(
    t: np.ndarray, y: np.ndarray, *, band: float = 0.05, wake_depth: float = 50.0
) -> SettlingMeasures:
    """Measures of the depth y [m] at times t [s]; `band` is relative to the final depth.

    Swings count that stand out by a tenth of the band. The period is that of most swings, also if a command shifts the
    depth about which the body swings.
    """
    t, y = np.asarray(t, float), np.asarray(y, float)
    final = float(np.mean(y[-max(1, len(y) // 10) :]))
    top = int(np.argmax(y))
    outside = np.flatnonzero(np.abs(y - final) > band * abs(final))
    settling_time = float(t[min(outside[-1] + 1, len(t) - 1)]) if outside.size else float(t[0])
    ends = [find_peaks(way * y, prominence=max(0.1 * band * abs(final), 1e-12))[0] for way in (1, -1)]
    gaps = np.diff(t[np.sort(np.concatenate(ends))])
    period = 2 * float(np.median(gaps)) if gaps.size else float("nan")
    above = float(np.sum(np.diff(t)[y[:-1] < wake_depth]))
    return SettlingMeasures(
        final, float(y[top]), float(t[top]), float(y[top]) - final, period, settling_time, above
    )
