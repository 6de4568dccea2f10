"""What a step response shows at a glance: dead time, rise, overshoot, settling, and the damping."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError


@dataclasses.dataclass(frozen=True)
class StepFeatures:
    """Features of a step response; times [s] from the step, levels over the final one."""

    final: float  # final level, over the height of the step
    dead_time: float  # [s] until the response leaves rest (2 % of its final level)
    rise_time: float  # [s] from 10 to 90 %
    overshoot: float  # peak over the final level, less one; 0 if there is none
    peak_time: float  # [s]; NaN without overshoot
    settling_time: float  # [s] after which the response stays within 2 % of its final level
    damping: float  # ratio of the second-order lag with this overshoot; NaN without
    omega: float  # [rad/s] its natural one, from the time between leaving rest and peak; NaN without

    def __str__(self) -> str:
        return (
            f"final {self.final:.4g}, dead time {1e3 * self.dead_time:.3g} ms, "
            f"rise {1e3 * self.rise_time:.3g} ms, overshoot {100 * self.overshoot:.3g} %, "
            f"settled after {1e3 * self.settling_time:.3g} ms"
        )


def step_features(
    response: np.ndarray, dt: float, *, at: float = 0.0, height: float = 1.0, band: float = 0.02
) -> StepFeatures:
    """Features of the response, sampled at 0, dt, 2 dt ..., to a step of `height` at time `at` [s].

    Levels are taken relative to the mean before the step (zero if it comes at once). The final level is
    the mean over the last tenth of the record, which must have settled. Crossings are interpolated between
    samples. `band` is the share of the final level that counts as rest and as settled: noise must be
    smaller.
    """
    y = np.asarray(response, float)
    first = round(at / dt)
    if y.ndim != 1 or not 0 <= first < len(y) - 20:
        raise ParameterError(
            f"response: {y.shape} samples of {dt:g} s with a step at {at:g} s; give one axis, and twenty "
            f"samples or more after the step"
        )
    y = (y - (y[:first].mean() if first else 0.0)) / height
    after = y[first:]
    t = dt * np.arange(first, len(y)) - at
    tail = after[-max(len(after) // 10, 5) :]
    final = float(tail.mean())
    if final == 0 or np.abs(tail - final).max() > band * abs(final):
        raise AnalysisError(
            f"the response has not settled: its last tenth strays {np.abs(tail - final).max():.3g} from "
            f"{final:.3g}, more than {100 * band:g} %; record longer, or widen `band` beyond the noise"
        )
    level = after / final
    rise = [_first_crossing(t, level, share) for share in (band, 0.1, 0.9)]
    peak = int(np.argmax(level))
    top, crest = _top(t, level, peak)
    overshoot = crest - 1
    outside = np.flatnonzero(np.abs(level - 1) > band)
    settling = t[min(outside[-1] + 1, len(t) - 1)] if len(outside) else 0.0
    if overshoot <= band:
        return StepFeatures(final, rise[0], rise[2] - rise[1], 0.0, math.nan, settling, math.nan, math.nan)
    damping = -math.log(overshoot) / math.hypot(math.pi, math.log(overshoot)) if overshoot < 1 else 0.0
    # the lag itself leaves 2 % a little after its start: solve for the start from the peak
    omega = math.pi / math.sqrt(1 - damping**2) / (top - _start(t, level, damping, top, band))
    return StepFeatures(
        final, rise[0], rise[2] - rise[1], overshoot, float(top), float(settling), damping, omega
    )


def _first_crossing(t: np.ndarray, level: np.ndarray, share: float) -> float:
    i = int(np.argmax(level >= share))
    if i == 0:
        return float(t[0])
    return float(t[i] - (level[i] - share) / (level[i] - level[i - 1]) * (t[i] - t[i - 1]))


def _top(t: np.ndarray, level: np.ndarray, peak: int) -> tuple[float, float]:
    """Time and height of the peak, by a cubic through the samples about it, which averages noise."""
    low = 1 + 0.7 * (level[peak] - 1)
    below = np.flatnonzero(level < low)
    first = below[below < peak].max(initial=-1) + 1
    last = below[below > peak].min(initial=len(t)) - 1
    if last - first < 5:
        return float(t[peak]), float(level[peak])
    about = np.polynomial.Polynomial.fit(t[first : last + 1], level[first : last + 1], 3)
    fine = np.linspace(t[first], t[last], 1001)
    best = int(np.argmax(about(fine)))
    return float(fine[best]), float(about(fine[best]))


def _start(t: np.ndarray, level: np.ndarray, damping: float, top: float, band: float) -> float:
    """When the second-order lag that peaks at `top` started, from when it passed half of its final level."""
    half = _first_crossing(t, level, 0.5)
    root = math.sqrt(1 - damping**2)
    # in units of the peak's time after the start: level(s) = 1 - exp(-a s)(cos pi s + (a/pi) sin pi s)
    a = math.pi * damping / root
    s = np.linspace(0.0, 1.0, 2001)
    shape = 1 - np.exp(-a * s) * (np.cos(math.pi * s) + a / math.pi * np.sin(math.pi * s))
    half_share = float(np.interp(0.5, shape, s))
    return (half - half_share * top) / (1 - half_share)
