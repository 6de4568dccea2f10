"""Features of a step response: dead time, rise time, overshoot, settling time, damping."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError


@dataclasses.dataclass(frozen=True)
class StepFeatures:
    """Features of a step response; times [s] from the step, levels as fractions of the final level."""

    final: float  # final level divided by the amplitude of the step
    dead_time: float  # [s] until the response reaches 2 % of its final level
    rise_time: float  # [s] from 10 to 90 %
    overshoot: float  # peak divided by the final level, minus one; 0 without overshoot
    peak_time: float  # [s]; NaN without overshoot
    settling_time: float  # [s] after which the response stays within 2 % of its final level
    damping: float  # damping ratio of the second-order lag with this overshoot; NaN without
    omega: float  # [rad/s] natural frequency of this lag, from the time between start and peak; NaN without

    def __str__(self) -> str:
        return (
            f"final {self.final:.4g}, dead time {1e3 * self.dead_time:.3g} ms, "
            f"rise {1e3 * self.rise_time:.3g} ms, overshoot {100 * self.overshoot:.3g} %, "
            f"settled after {1e3 * self.settling_time:.3g} ms"
        )


def step_features(
    response: np.ndarray, dt: float, *, start: float = 0.0, amplitude: float = 1.0, band: float = 0.02
) -> StepFeatures:
    """Return the features of the response, sampled at 0, dt, 2 dt ..., to a step of `amplitude` at `start` [s].

    Levels are relative to the mean before the step (zero for a step at time zero). The final level is the mean over the
    last tenth of the record, which must have settled. Crossings are interpolated between samples. `band` is the
    tolerance for initial rest and settling, as a fraction of the final level; the noise must be smaller.
    """
    y = np.asarray(response, float)
    first = round(start / dt)
    if y.ndim != 1 or not 0 <= first < len(y) - 20:
        raise ParameterError(
            f"response: got {y.shape} samples of {dt:g} s with a step at {start:g} s; expected one axis, and at least "
            f"20 samples after the step"
        )
    y = (y - (y[:first].mean() if first else 0.0)) / amplitude
    after = y[first:]
    t = dt * np.arange(first, len(y)) - start
    tail = after[-max(len(after) // 10, 5) :]
    final = float(tail.mean())
    if final == 0 or np.abs(tail - final).max() > band * abs(final):
        raise AnalysisError(
            f"the response has not settled: its last tenth deviates by {np.abs(tail - final).max():.3g} from "
            f"{final:.3g}, more than {100 * band:g} %; record longer, or raise `band` above the noise"
        )
    level = after / final
    rise = [_first_crossing(t, level, fraction) for fraction in (band, 0.1, 0.9)]
    peak = int(np.argmax(level))
    top, crest = _top(t, level, peak)
    overshoot = crest - 1
    outside = np.flatnonzero(np.abs(level - 1) > band)
    settling = t[min(outside[-1] + 1, len(t) - 1)] if len(outside) else 0.0
    if overshoot <= band:
        return StepFeatures(final, rise[0], rise[2] - rise[1], 0.0, math.nan, settling, math.nan, math.nan)
    damping = -math.log(overshoot) / math.hypot(math.pi, math.log(overshoot)) if overshoot < 1 else 0.0
    # the lag passes 2 % some time after its start, so the start is computed from the peak
    omega = math.pi / math.sqrt(1 - damping**2) / (top - _start(t, level, damping, top, band))
    return StepFeatures(
        final, rise[0], rise[2] - rise[1], overshoot, float(top), float(settling), damping, omega
    )


def _first_crossing(t: np.ndarray, level: np.ndarray, fraction: float) -> float:
    i = int(np.argmax(level >= fraction))
    if i == 0:
        return float(t[0])
    return float(t[i] - (level[i] - fraction) / (level[i] - level[i - 1]) * (t[i] - t[i - 1]))


def _top(t: np.ndarray, level: np.ndarray, peak: int) -> tuple[float, float]:
    """Return time and height of the peak, from a cubic fit to the samples around it, which averages noise."""
    low = 1 + 0.7 * (level[peak] - 1)
    below = np.flatnonzero(level < low)
    first = below[below < peak].max(initial=-1) + 1
    last = below[below > peak].min(initial=len(t)) - 1
    if last - first < 5:
        return float(t[peak]), float(level[peak])
    cubic = np.polynomial.Polynomial.fit(t[first : last + 1], level[first : last + 1], 3)
    fine = np.linspace(t[first], t[last], 1001)
    best = int(np.argmax(cubic(fine)))
    return float(fine[best]), float(cubic(fine[best]))


def _start(t: np.ndarray, level: np.ndarray, damping: float, top: float, band: float) -> float:
    """Return the start of the second-order lag with its peak at `top`, from its crossing of half the final level."""
    half = _first_crossing(t, level, 0.5)
    root = math.sqrt(1 - damping**2)
    # in units of the peak's time after the start: level(s) = 1 - exp(-a s)(cos pi s + (a/pi) sin pi s)
    a = math.pi * damping / root
    s = np.linspace(0.0, 1.0, 2001)
    shape = 1 - np.exp(-a * s) * (np.cos(math.pi * s) + a / math.pi * np.sin(math.pi * s))
    half_fraction = float(np.interp(0.5, shape, s))
    return (half - half_fraction * top) / (1 - half_fraction)
