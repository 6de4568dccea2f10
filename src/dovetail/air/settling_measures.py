"""How a towed body comes to rest: depth, overshoot, period, settling time, time spent in the wake."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np


@dataclasses.dataclass(frozen=True)
class Settling:
    """Measures of a depth in time."""

    final: float  # [m] mean of the last tenth
    peak: float  # [m] deepest
    peak_time: float  # [s]
    overshoot: float  # [m] peak less final
    period: float  # [s] twice the mean time between crossings of the final depth; NaN below two crossings
    settling_time: float  # [s] after which it stays within the band
    in_wake: float  # [s] spent above a depth


def settling(t: np.ndarray, y: np.ndarray, *, band: float = 0.05, wake_depth: float = 50.0) -> Settling:
    """Measures of the depth y [m] at times t [s]; `band` is relative to the final depth."""
    t, y = np.asarray(t, float), np.asarray(y, float)
    final = float(np.mean(y[-max(1, len(y) // 10) :]))
    top = int(np.argmax(y))
    outside = np.flatnonzero(np.abs(y - final) > band * abs(final))
    settled = float(t[min(outside[-1] + 1, len(t) - 1)]) if outside.size else float(t[0])
    # crossings of the final depth while the swing is larger than a tenth of the band
    side = np.sign(y - final)
    cross = np.flatnonzero(side[1:] * side[:-1] < 0)
    swing = [np.max(np.abs(y[a : b + 1] - final)) for a, b in itertools.pairwise(cross)]
    gaps = np.diff(t[cross])[np.array(swing) > 0.1 * band * abs(final)] if len(cross) > 1 else np.array([])
    period = 2 * float(np.mean(gaps[:3])) if gaps.size else float("nan")
    above = float(np.sum(np.diff(t)[y[:-1] < wake_depth]))
    return Settling(final, float(y[top]), float(t[top]), float(y[top]) - final, period, settled, above)
