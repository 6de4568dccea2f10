"""Synchronisation subspace plot: demand z on the horizontal axis, measured x on the vertical axis.

An ideal rig draws the 45-degree line. An amplitude ratio tilts the line, a delay opens it into an anticlockwise
loop (adds energy: negative damping) and a lead into a clockwise loop (damps). The curve of z(t - tau_c) against
z(t) shows the loop at which the test would lose stability [Wallace 2006, sec. 2.6, 3.4].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recorded, Value, by_axis, moving, period, recording, times, trace, values

if TYPE_CHECKING:
    import xarray as xr

LATE, EARLY, IN_PHASE = "late", "early", "in phase"  # anticlockwise loop, clockwise loop, line
MIN_OPENING = 1e-3  # below it a loop counts as a line: 0.05 ms at 3 Hz


@dataclass(frozen=True)
class SynchronisationLoop:
    """Opening and area of the synchronisation loop of one run, by axis.

    `opening` is the sine of the phase lag for a sine (positive: late). `area` [unit of z, squared] is the area
    enclosed over the whole record, positive if drawn anticlockwise.
    """

    opening: Value
    area: Value

    @property
    def direction(self) -> str | tuple[str, ...]:
        """`late` (anticlockwise), `early` (clockwise) or `in phase` (a line)."""
        directions = tuple(_direction(opening) for opening in np.ravel(self.opening))
        return directions[0] if np.ndim(self.opening) == 0 else directions


def synchronisation_loop(
    run: Recorded, *, demand: str = DEMAND, measured: str = MEASURED
) -> SynchronisationLoop:
    r"""Return opening and signed area of the loop of (z, x) about its mean.

    .. math:: A = \frac12 \oint (z\,dx - x\,dz), \qquad
       \text{opening} = \frac{A}{T\,\bar\omega\, z_{rms}\, x_{rms}}, \qquad
       \bar\omega = \dot z_{rms} / z_{rms}

    The frequency is computed from the demand, because the rate of a noisy x is not usable.
    """
    t, z, x = values(run, demand, measured)

    def area(z: np.ndarray, x: np.ndarray) -> float:
        z, x = z - z.mean(), x - x.mean()
        return 0.5 * float(np.sum(z[:-1] * x[1:] - x[:-1] * z[1:]))

    def opening(z: np.ndarray, x: np.ndarray) -> float:
        z, x = moving(demand, z), moving(measured, x)
        rate = math.sqrt(np.mean((np.diff(z) / np.diff(t)) ** 2))
        return area(z, x) / ((t[-1] - t[0]) * rate * math.sqrt(np.mean(x**2)))

    return SynchronisationLoop(opening=by_axis(opening, z, x), area=by_axis(area, z, x))


def overlay(run: Recorded, delay: float, *, demand: str = DEMAND) -> xr.Dataset:
    """Return the loop of a constant `delay` [s]: `demand` and `delayed_demand` = z(t - delay)."""
    return delayed_demand(run, delay, demand=demand).to_dataset()


def delayed_demand(run: Recorded, delay: float, *, demand: str = DEMAND) -> Recording:
    """Return `demand` and `delayed_demand` = z(t - delay) as arrays."""
    z, t = trace(run, demand), times(run)
    _check_delay(delay, t)
    part = recording(run).isel(time=np.flatnonzero(t >= t[0] + delay))
    shifted = _interpolate(t, z.values, part.time.values - delay)
    return part.with_signals({"demand": part[demand], "delayed_demand": replace(z, values=shifted)})


def outside_delay_band(
    run: Recorded, delay: float, *, demand: str = DEMAND, measured: str = MEASURED
) -> xr.DataArray:
    """Return for each sample whether the measured loop lies outside the band of a constant `delay` [s].

    A sample is inside if some delay or lead up to `delay` explains it: x(t) lies between the minimum and the maximum
    of z within `delay` of t. For a sine this is the ellipse of that delay with rounded tips, so that an ideal rig is
    inside. The first and last `delay` of the record are omitted, because their band is not recorded.

    A short excursion is not an instability: instability needs many samples to grow, at the growth rate of the actual
    delay.
    """
    part, outside = _outside(run, delay, demand, measured)
    about = {"units": "1", "long_name": f"outside the band of a {delay:g} s delay"}
    signal = RecordedSignal(outside, part[measured].dims, about)
    return part.with_signals({"outside": signal}).to_dataset()["outside"]


def _outside(run: Recorded, delay: float, demand: str, measured: str) -> tuple[Recording, np.ndarray]:
    """Return the samples whose band is recorded, and whether they lie outside of it."""
    dt = period(run)
    z, x, t = trace(run, demand).values, trace(run, measured).values, times(run)
    _check_delay(delay, t)
    inner = np.flatnonzero((t >= t[0] + delay) & (t <= t[-1] - delay))
    if len(inner) == 0:
        raise AnalysisError(
            f"delay: the record of {t[-1] - t[0]:g} s is too short for a band of {delay:g} s on both sides"
        )
    reach = math.floor(delay / dt + 1e-9)
    ends = [_interpolate(t, z, t[inner] - delay), _interpolate(t, z, t[inner] + delay)]
    minimum = scipy.ndimage.minimum_filter1d(z, 2 * reach + 1, axis=0, mode="nearest")[inner]
    maximum = scipy.ndimage.maximum_filter1d(z, 2 * reach + 1, axis=0, mode="nearest")[inner]
    bend = np.abs(np.diff(z, n=2, axis=0)) / 8  # largest deviation of z from straight lines between samples
    bend = np.concatenate([bend[:1], bend, bend[-1:]])
    tolerance = scipy.ndimage.maximum_filter1d(bend, 2 * reach + 3, axis=0, mode="nearest")[inner]
    low, high = (
        np.minimum.reduce([minimum, *ends]) - tolerance,
        np.maximum.reduce([maximum, *ends]) + tolerance,
    )
    return recording(run).isel(time=inner), (x[inner] < low) | (x[inner] > high)


def fraction_outside_delay_band(
    run: Recorded, delay: float, *, demand: str = DEMAND, measured: str = MEASURED
) -> Value:
    """Return the fraction of samples, 0 to 1, outside the band of a constant `delay` [s] (see `outside_delay_band`)."""
    fraction = np.mean(_outside(run, delay, demand, measured)[1], axis=0)
    return float(fraction) if fraction.ndim == 0 else fraction


def _check_delay(delay: float, t: np.ndarray) -> None:
    if not (np.isfinite(delay) and delay > 0):
        raise ParameterError(f"delay: got {delay:g} s; expected a finite delay above 0 s")
    if delay >= t[-1] - t[0]:
        raise AnalysisError(
            f"delay: got {delay:g} s; expected less than the length of the record, {t[-1] - t[0]:g} s"
        )


def _interpolate(t: np.ndarray, z: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the samples z(t) at other times, interpolated linearly."""
    interpolated = [np.interp(at, t, column) for column in z.reshape(len(t), -1).T]
    return np.stack(interpolated, axis=1).reshape(len(at), *z.shape[1:])


def _direction(opening: float) -> str:
    if abs(opening) < MIN_OPENING:
        return IN_PHASE
    return LATE if opening > 0 else EARLY
