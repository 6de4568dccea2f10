"""Delay of the measured displacement after the demand, from the recorded signals.

Three estimates, each insensitive to different effects. A positive delay means that the rig is late.

==================  ==========================================  =====================================
estimate            method                                      insensitive to
==================  ==========================================  =====================================
by crossings        times at which z and x pass their mean      amplitude, distortion at the peaks
by correlation      shift of highest correlation of x and z     variation of the delay in time
at a frequency      phase of x relative to z at that frequency  signals at other frequencies
==================  ==========================================  =====================================

The crossings follow [Wallace 2006, sec. 2.3.4], where they were resolved to a sample. Here each crossing is a
straight line fitted to the samples about the mean, which resolves much less than a sample and averages sensor
noise.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.peaks import find_peaks
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recorded, Value, by_axis, moving, period, values

HYSTERESIS = 0.3  # fraction of the rms that the signal must exceed on both sides of a crossing
EQUAL_PEAKS = 0.01  # fraction of the range of correlations; closer peaks are equal, a period apart
EQUAL_VALUES = 1e-6  # fraction of the range; values that close to the extreme in a row are clipped
MOVING = 1e-3  # fraction of its range by which the demand moves while a signal is clipped
MIN_VALID = 0.5  # smallest fraction of samples that are not clipped
STEPS = 6  # Gauss-Newton steps from the nearest sample
PARTS, STUDENT = 8, 2.36  # parts of the record, and the 97.5 % quantile of Student's t with one less
MAX_SCATTER, MAX_RELATIVE_SCATTER = 2.0, 0.05  # largest half interval: samples, or a fraction of the delay


def delay_by_crossings(run: Recorded, *, demand: str = DEMAND, measured: str = MEASURED) -> Value:
    """Return the delay [s] between crossings of the mean, averaged over rising and falling crossings.

    Rising and falling crossings are evaluated separately, because a sensor offset shifts them in opposite
    directions. Their mean is not affected by the offset.
    """
    t, z, x = values(run, demand, measured)

    def measure(z: np.ndarray, x: np.ndarray) -> float:
        rising_z, falling_z = _crossings(t, moving(demand, z))
        rising_x, falling_x = _crossings(t, moving(measured, x))
        gaps = [_gaps(rising_z, rising_x), _gaps(falling_z, falling_x)]
        if len(rising_z) + len(falling_z) < 3 or not all(len(g) for g in gaps):
            raise AnalysisError(
                f'"{demand}" and "{measured}" have no common full cycle of crossings of their mean; '
                "record longer, or use delay_by_correlation"
            )
        return float(np.mean([np.median(g) for g in gaps]))

    return by_axis(measure, z, x)


def delay_by_correlation(
    run: Recorded, *, max_delay: float | None = None, demand: str = DEMAND, measured: str = MEASURED
) -> Value:
    r"""Return the delay [s] of highest correlation between measured signal and demand, resolved between samples.

    .. math:: \hat\tau = \arg\max_\tau \frac{\int x(t)\, z(t - \tau)\, dt}{\|x\|\, \|z(\cdot - \tau)\|}

    The same part of x is used for every shift, about the mean of each part, so the ends of the record cause no
    bias for a pure delay. Of equally good shifts (a sine repeats) the one nearest to zero is returned. Between
    samples z is a cubic spline, and the best shift is found by least squares.

    Parameters
    ----------
    max_delay : float, optional
        Largest delay or lead [s] searched (default: a quarter of the record).
    """
    dt = period(run)
    t, z, x = values(run, demand, measured, at_least=16)
    max_delay = (t[-1] - t[0]) / 4 if max_delay is None else max_delay
    if not dt < max_delay <= (t[-1] - t[0]) / 2 - dt:
        raise ParameterError(
            f"max_delay: got {max_delay:g} s; must be above the sample period {dt:g} s and below half of the "
            f"record, {(t[-1] - t[0]) / 2:g} s"
        )
    reach = math.ceil(max_delay / dt)

    def measure(z: np.ndarray, x: np.ndarray) -> float:
        z, x = moving(demand, z), moving(measured, x)
        window, valid = x[reach:-reach], ~clipped_samples(z, x)[reach:-reach]
        if valid.mean() < MIN_VALID:
            raise AnalysisError(
                f'"{measured}" is clipped in {100 * (1 - valid.mean()):.0f} % of the record, which cannot tell the '
                "delay; reduce the motion or increase the range of the sensor"
            )
        correlation = _correlations(z, window, valid)  # entry i: z delayed by i - reach samples
        shift = _highest_near(correlation, reach)
        if shift is None or correlation.max() <= 0:
            raise AnalysisError(
                f'"{measured}" does not correlate with "{demand}" at any shift up to {max_delay:g} s; '
                "increase max_delay, or check that the rig follows the demand"
            )
        path = scipy.interpolate.CubicSpline(t, z)
        delay, half = _between_samples(path, t[reach:-reach], window, valid, (shift - reach) * dt, dt)
        if not half <= max(MAX_SCATTER * dt, MAX_RELATIVE_SCATTER * abs(delay)):
            raise AnalysisError(
                f"the record cannot tell the delay: {1e3 * delay:.3g} ms, 95 % interval +-{1e3 * half:.2g} ms; "
                "record more cycles with more motion, and check for clipping and friction"
            )
        return delay

    return by_axis(measure, z, x)


def delay_at(run: Recorded, frequency: float, *, demand: str = DEMAND, measured: str = MEASURED) -> Value:
    r"""Return the delay [s] from the phase at a frequency [Hz], :math:`-\arg(X/Z) / 2 \pi f`, within half a cycle."""
    ratio = response_at(run, frequency, demand=demand, measured=measured)
    delay = -np.angle(ratio) / (2 * math.pi * frequency)
    return float(delay) if np.ndim(delay) == 0 else delay


def response_at(
    run: Recorded, frequency: float, *, demand: str = DEMAND, measured: str = MEASURED
) -> complex | np.ndarray:
    """Return the complex amplitude ratio X/Z at a frequency [Hz], by least squares under a Hann window."""
    dt = period(run)
    t, z, x = values(run, demand, measured, at_least=8)
    if not 0 < frequency < 0.5 / dt:
        raise ParameterError(f"frequency: got {frequency:g} Hz; must be above 0 and below {0.5 / dt:g} Hz")
    if frequency * (t[-1] - t[0]) < 1:
        raise AnalysisError(
            f"frequency: the record of {t[-1] - t[0]:g} s is shorter than one cycle of {frequency:g} Hz; record longer"
        )
    phase = 2 * math.pi * frequency * (t - t[0])
    basis = np.stack([np.cos(phase), np.sin(phase), np.ones_like(phase)], axis=1)
    weight = np.sqrt(np.hanning(len(t) + 2)[1:-1])[:, None]

    def amplitude(name: str, y: np.ndarray) -> np.ndarray:
        columns = y.reshape(len(y), -1)
        part = np.linalg.lstsq(basis * weight, columns * weight, rcond=None)[0]
        amplitudes = part[0] - 1j * part[1]
        if name == demand and (np.abs(amplitudes) < 1e-9 * np.abs(columns).max(axis=0)).any():
            raise AnalysisError(
                f'"{demand}" has no amplitude at {frequency:g} Hz; choose a frequency of the demand'
            )
        return amplitudes

    ratio = amplitude(measured, x) / amplitude(demand, z)
    return complex(ratio[0]) if z.ndim == 1 else ratio.reshape(z.shape[1:])


def _crossings(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the times of rising and falling zero crossings between swings beyond the hysteresis."""
    threshold = HYSTERESIS * math.sqrt(np.mean(y**2))
    side = np.where(y > threshold, 1, np.where(y < -threshold, -1, 0))
    at = np.flatnonzero(side)
    turns = np.flatnonzero(np.diff(side[at]))  # the sign changes between entries i and i + 1
    crossings: dict[int, list[float]] = {1: [], -1: []}
    for i in turns:
        first, last = at[i], at[i + 1]
        ts, ys = t[first : last + 1], y[first : last + 1]
        slope, level = (
            np.polyfit(ts - ts[0], ys, 1) if len(ts) > 2 else ((ys[1] - ys[0]) / (ts[1] - ts[0]), ys[0])
        )
        crossings[int(side[last])].append(float(ts[0] - level / slope))
    return np.array(crossings[1]), np.array(crossings[-1])


def _gaps(leader: np.ndarray, follower: np.ndarray) -> np.ndarray:
    """Return the time from each crossing to the nearest crossing of the follower, if within half a cycle."""
    if len(leader) == 0 or len(follower) == 0:
        return np.array([])
    right = np.clip(np.searchsorted(follower, leader), 0, len(follower) - 1)
    left = np.maximum(right - 1, 0)
    gap_right, gap_left = follower[right] - leader, follower[left] - leader
    gap = np.where(np.abs(gap_left) < np.abs(gap_right), gap_left, gap_right)
    half_cycle = np.median(np.diff(leader)) / 2 if len(leader) > 1 else np.inf
    return gap[np.abs(gap) <= half_cycle]


def clipped_samples(z: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return at which samples a measured signal stays at an extreme, three samples or more, while the demand moves."""
    clipped = np.zeros(len(x), bool)
    for extreme in (x.max(), x.min()):
        at = np.concatenate([[False], np.abs(x - extreme) <= EQUAL_VALUES * np.ptp(x), [False]])
        edges = np.flatnonzero(np.diff(at.astype(int)))
        for first, end in zip(edges[::2], edges[1::2], strict=True):
            clipped[first:end] = end - first > 2 and np.ptp(z[first:end]) > MOVING * np.ptp(z)
    return clipped


def _correlations(z: np.ndarray, window: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Return correlation coefficients of a window with all parts of z of its length, last part first.

    Only the valid samples of the window count. Each part is taken about its own mean, so the coefficient of an exact
    copy is 1.
    """
    count, number = len(window), valid.sum()
    z = z - z.mean()
    window = np.where(valid, window - window[valid].mean(), 0.0)
    size = scipy.fft.next_fast_len(len(z), real=True)

    def sums(of_z: np.ndarray, weight: np.ndarray) -> np.ndarray:  # of each part without wrap-around
        product = scipy.fft.rfft(of_z, size) * np.conj(scipy.fft.rfft(weight, size))
        return scipy.fft.irfft(product, size)[: len(z) - count + 1]

    about = sums(z**2, valid.astype(float)) - sums(z, valid.astype(float)) ** 2 / number
    inner, norm = sums(z, window), np.sqrt(np.maximum(about, 0.0) * np.sum(window**2))
    return np.divide(inner, norm, out=np.zeros_like(inner), where=norm > 1e-12 * norm.max())[::-1]


def _highest_near(correlation: np.ndarray, middle: int) -> int | None:
    """Return the index of the highest inner peak; of equally high peaks, the one nearest to the middle."""
    spread = EQUAL_PEAKS * np.ptp(correlation)
    peaks = find_peaks(correlation, prominence=max(spread, np.finfo(float).tiny))
    if len(peaks) == 0:
        return None
    good = peaks[correlation[peaks] >= correlation[peaks].max() - spread]
    return int(good[np.argmin(np.abs(good - middle))])


def _between_samples(
    path: scipy.interpolate.CubicSpline,
    t: np.ndarray,
    x: np.ndarray,
    valid: np.ndarray,
    tau: float,
    dt: float,
) -> tuple[float, float]:
    """Return the delay [s] within a sample of `tau` at which a z(t - delay) + b fits x best, and half its interval.

    This is the maximum of the correlation. Gauss-Newton: x = a z + b - (a d) z' is linear in a, b and a d.
    If the fit leaves the sample, the delay in whole samples is returned. The 95 % interval follows from the scatter of
    the gradient of the fit between `PARTS` parts of the record, so it includes errors that last longer than a sample.
    """
    t, x = t[valid], x[valid]
    delay, rate = tau, path.derivative()
    for _ in range(STEPS):
        basis = np.stack([path(t - delay), np.ones_like(t), rate(t - delay)], axis=1)
        gain, _, slope = np.linalg.lstsq(basis, x, rcond=None)[0]
        if gain <= 0 or not abs(delay - slope / gain - tau) <= dt:
            delay = tau
            break
        delay -= slope / gain
    basis = np.stack([path(t - delay), np.ones_like(t)], axis=1)
    columns = np.stack([x, rate(t - delay)], axis=1)
    fit = np.linalg.lstsq(basis, columns, rcond=None)[0]
    residual, direction = (columns - basis @ fit).T
    parts = np.array([part.sum() for part in np.array_split(residual * direction, PARTS)])
    spread = math.sqrt(PARTS / (PARTS - 1) * np.sum((parts - parts.mean()) ** 2))
    scale = abs(fit[0, 0]) * np.sum(direction**2)
    return float(delay), STUDENT * spread / scale if scale > 0 else math.inf
