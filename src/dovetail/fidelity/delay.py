r"""How late the measured displacement follows its demand, from the traces alone.

Three estimates, each blind to something else. A positive delay means that the rig is late.

==================  =======================================  ===================================
estimate            how                                      blind to
==================  =======================================  ===================================
by crossings        where z and x pass through the middle    amplitude, and what happens at tips
by correlation      the shift at which x looks most like z   how the delay varies in time
at a frequency      phase of x against z there               everything at other frequencies
==================  =======================================  ===================================

The crossings are those of [Wallace 2006, sec. 2.3.4], who resolved them to a sample; here each is a
straight line fitted through the samples about the middle, which resolves far less than a sample and
averages sensor noise.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.peaks import find_peaks
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recording, Value, by_axis, moving, period, values

HYSTERESIS = 0.3  # of the trace's rms: a swing must pass this on both sides to count as a crossing
ALIKE = 0.01  # of the spread of correlations: peaks this close to the highest are the same shift a period on

STEPS = 6  # of Gauss and Newton, from the nearest sample on


def delay_by_crossings(run: Recording, *, demand: str = DEMAND, measured: str = MEASURED) -> Value:
    """Delay [s] between crossings of the middle, the mean of the rising and the falling ones.

    Rising and falling crossings are taken apart because an offset of the sensor moves them in opposite
    directions; their mean does not see it.
    """
    t, z, x = values(run, demand, measured)

    def measure(z: np.ndarray, x: np.ndarray) -> float:
        rising_z, falling_z = _crossings(t, moving(demand, z))
        rising_x, falling_x = _crossings(t, moving(measured, x))
        gaps = [_gaps(rising_z, rising_x), _gaps(falling_z, falling_x)]
        if len(rising_z) + len(falling_z) < 3 or not all(len(g) for g in gaps):
            raise AnalysisError(
                f'"{demand}" and "{measured}" share no full cycle of crossings of their middle; '
                "record longer, or take the delay by correlation"
            )
        return float(np.mean([np.median(g) for g in gaps]))

    return by_axis(measure, z, x)


def delay_by_correlation(
    run: Recording, *, longest: float | None = None, demand: str = DEMAND, measured: str = MEASURED
) -> Value:
    r"""Delay [s] at which the measured trace is most like the demand, between samples.

    .. math:: \hat\tau = \arg\max_\tau \frac{\int x(t)\, z(t - \tau)\, dt}{\|x\|\, \|z(\cdot - \tau)\|}

    over the same stretch of x for every shift and about the mean of each stretch, so that a pure delay is found
    without the bias of the record's ends. Of equally good shifts (a sine repeats) the one nearest to zero is taken.
    Between samples z is a cubic spline, and the best shift follows by least squares.

    Parameters
    ----------
    longest : float, optional
        Largest delay or lead [s] looked for; a quarter of the record if not given.
    """
    dt = period(run)
    t, z, x = values(run, demand, measured, at_least=16)
    longest = (t[-1] - t[0]) / 4 if longest is None else longest
    if not dt < longest <= (t[-1] - t[0]) / 2 - dt:
        raise ParameterError(
            f"longest: got {longest:g} s; must be above the sample period {dt:g} s and below half of the "
            f"record, {(t[-1] - t[0]) / 2:g} s"
        )
    reach = math.ceil(longest / dt)

    def measure(z: np.ndarray, x: np.ndarray) -> float:
        z, x = moving(demand, z), moving(measured, x)
        window = x[reach:-reach]
        alike = _alike(z, window)  # entry i: z late by i - reach samples
        shift = _highest_near(alike, reach)
        if shift is None or alike.max() <= 0:
            raise AnalysisError(
                f'"{measured}" resembles "{demand}" at no shift within {longest:g} s; '
                "look further with `longest`, or check that the rig follows at all"
            )
        path = scipy.interpolate.CubicSpline(t, z)
        return _between_samples(path, t[reach:-reach], window, (shift - reach) * dt, dt)

    return by_axis(measure, z, x)


def delay_at(run: Recording, frequency: float, *, demand: str = DEMAND, measured: str = MEASURED) -> Value:
    r"""Delay [s] from the phase at a frequency [Hz]: :math:`-\arg(X/Z) / 2 \pi f`, within half a cycle."""
    ratio = response_at(run, frequency, demand=demand, measured=measured)
    found = -np.angle(ratio) / (2 * math.pi * frequency)
    return float(found) if np.ndim(found) == 0 else found


def response_at(
    run: Recording, frequency: float, *, demand: str = DEMAND, measured: str = MEASURED
) -> complex | np.ndarray:
    """Complex amplitude ratio X/Z at a frequency [Hz], by least squares under a Hann window."""
    dt = period(run)
    t, z, x = values(run, demand, measured, at_least=8)
    if not 0 < frequency < 0.5 / dt:
        raise ParameterError(f"frequency: got {frequency:g} Hz; must be above 0 and below {0.5 / dt:g} Hz")
    if frequency * (t[-1] - t[0]) < 1:
        raise AnalysisError(
            f"the record of {t[-1] - t[0]:g} s holds less than one cycle of {frequency:g} Hz; record longer"
        )
    phase = 2 * math.pi * frequency * (t - t[0])
    basis = np.stack([np.cos(phase), np.sin(phase), np.ones_like(phase)], axis=1)
    weight = np.sqrt(np.hanning(len(t) + 2)[1:-1])[:, None]

    def amplitude(name: str, y: np.ndarray) -> np.ndarray:
        columns = y.reshape(len(y), -1)
        part = np.linalg.lstsq(basis * weight, columns * weight, rcond=None)[0]
        found = part[0] - 1j * part[1]
        if name == demand and (np.abs(found) < 1e-9 * np.abs(columns).max(axis=0)).any():
            raise AnalysisError(f'"{demand}" has nothing at {frequency:g} Hz; choose a frequency it contains')
        return found

    ratio = amplitude(measured, x) / amplitude(demand, z)
    return complex(ratio[0]) if z.ndim == 1 else ratio.reshape(z.shape[1:])


def _crossings(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times of rising and falling passages of zero between swings beyond the hysteresis."""
    threshold = HYSTERESIS * math.sqrt(np.mean(y**2))
    side = np.where(y > threshold, 1, np.where(y < -threshold, -1, 0))
    at = np.flatnonzero(side)
    turns = np.flatnonzero(np.diff(side[at]))  # the swing changes side between at[i] and at[i + 1]
    found: dict[int, list[float]] = {1: [], -1: []}
    for i in turns:
        first, last = at[i], at[i + 1]
        ts, ys = t[first : last + 1], y[first : last + 1]
        slope, level = (
            np.polyfit(ts - ts[0], ys, 1) if len(ts) > 2 else ((ys[1] - ys[0]) / (ts[1] - ts[0]), ys[0])
        )
        found[int(side[last])].append(float(ts[0] - level / slope))
    return np.array(found[1]), np.array(found[-1])


def _gaps(of: np.ndarray, follower: np.ndarray) -> np.ndarray:
    """Time from each crossing to the nearest one of the follower, where it is within half a cycle."""
    if len(of) == 0 or len(follower) == 0:
        return np.array([])
    right = np.clip(np.searchsorted(follower, of), 0, len(follower) - 1)
    left = np.maximum(right - 1, 0)
    gap_right, gap_left = follower[right] - of, follower[left] - of
    gap = np.where(np.abs(gap_left) < np.abs(gap_right), gap_left, gap_right)
    half_cycle = np.median(np.diff(of)) / 2 if len(of) > 1 else np.inf
    return gap[np.abs(gap) <= half_cycle]


def _alike(z: np.ndarray, window: np.ndarray) -> np.ndarray:
    """Correlation coefficient of a window with every stretch of z of its length, last stretch first.

    Each stretch is taken about its own mean, so one that is the window's copy has exactly one.
    """
    number = len(window)
    window = window - window.mean()
    size = scipy.fft.next_fast_len(len(z), real=True)
    product = scipy.fft.rfft(z, size) * np.conj(scipy.fft.rfft(window, size))
    inner = scipy.fft.irfft(product, size)[: len(z) - number + 1]  # those in which nothing came round
    sums, squares = (np.concatenate([[0.0], np.cumsum(z**power)]) for power in (1, 2))
    about = squares[number:] - squares[:-number] - (sums[number:] - sums[:-number]) ** 2 / number
    norm = np.sqrt(np.maximum(about, 0.0) * np.sum(window**2))
    return np.divide(inner, norm, out=np.zeros_like(inner), where=norm > 1e-12 * norm.max())[::-1]


def _highest_near(alike: np.ndarray, middle: int) -> int | None:
    """Place of the highest inner peak, the nearest to the middle of those as high."""
    spread = ALIKE * np.ptp(alike)
    peaks = find_peaks(alike, prominence=max(spread, np.finfo(float).tiny))
    if len(peaks) == 0:
        return None
    good = peaks[alike[peaks] >= alike[peaks].max() - spread]
    return int(good[np.argmin(np.abs(good - middle))])


def _between_samples(
    path: scipy.interpolate.CubicSpline, t: np.ndarray, x: np.ndarray, tau: float, dt: float
):
    """The delay [s] within a sample of `tau` at which x is best fitted by a z(t - delay) + b.

    That is where the correlation has its top. Gauss and Newton: x = a z + b - (a d) z' is linear in a, b and a d.
    Where the fit leads out of the sample the whole one is kept.
    """
    found, rate = tau, path.derivative()
    for _ in range(STEPS):
        basis = np.stack([path(t - found), np.ones_like(t), rate(t - found)], axis=1)
        gain, _, slope = np.linalg.lstsq(basis, x, rcond=None)[0]
        if gain <= 0:
            return tau
        found -= slope / gain
        if not abs(found - tau) <= dt:
            return tau
    return float(found)
