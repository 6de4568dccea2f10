"""Synchronisation subspace plot: demand z on the horizontal axis, measured x on the vertical axis.

An ideal rig draws the 45-degree line. An amplitude ratio tilts the line, a delay opens it into an anticlockwise
loop (adds energy: negative damping) and a lead into a clockwise loop (damps). The curve of z(t - tau_c) against
z(t) shows the loop at which the test would lose stability [Wallace 2006, sec. 2.6, 3.4].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recording, Value, by_axis, moving, period, trace, values

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
    run: Recording, *, demand: str = DEMAND, measured: str = MEASURED
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


def overlay(run: Recording, delay: float, *, demand: str = DEMAND) -> xr.Dataset:
    """Return the loop of a constant `delay` [s]: `demand` and `delayed_demand` = z(t - delay)."""
    z = trace(run, demand)
    t = z["time"].values
    _check_delay(delay, t)
    part = z.isel(time=np.flatnonzero(t >= t[0] + delay))
    shifted = _interpolate(z, part["time"].values - delay)
    return xr.Dataset({"demand": part, "delayed_demand": part.copy(data=shifted)})


def outside_delay_band(
    run: Recording, delay: float, *, demand: str = DEMAND, measured: str = MEASURED
) -> xr.DataArray:
    """Return for each sample whether the measured loop lies outside the band of a constant `delay` [s].

    A sample is inside if some delay or lead up to `delay` explains it: x(t) lies between the minimum and the maximum
    of z within `delay` of t. For a sine this is the ellipse of that delay with rounded tips, so that an ideal rig is
    inside. The first and last `delay` of the record are omitted, because their band is not recorded.

    A short excursion is not an instability: instability needs many samples to grow, at the growth rate of the actual
    delay.
    """
    dt = period(run)
    z, x = trace(run, demand), trace(run, measured)
    t = z["time"].values
    _check_delay(delay, t)
    inner = np.flatnonzero((t >= t[0] + delay) & (t <= t[-1] - delay))
    if len(inner) == 0:
        raise AnalysisError(
            f"delay: the record of {t[-1] - t[0]:g} s is too short for a band of {delay:g} s on both sides"
        )
    reach = math.floor(delay / dt + 1e-9)
    ends = [_interpolate(z, t[inner] - delay), _interpolate(z, t[inner] + delay)]
    minimum = scipy.ndimage.minimum_filter1d(z.values, 2 * reach + 1, axis=0, mode="nearest")[inner]
    maximum = scipy.ndimage.maximum_filter1d(z.values, 2 * reach + 1, axis=0, mode="nearest")[inner]
    bend = (
        np.abs(np.diff(z.values, n=2, axis=0)) / 8
    )  # largest deviation of z from straight lines between samples
    bend = np.concatenate([bend[:1], bend, bend[-1:]])
    tolerance = scipy.ndimage.maximum_filter1d(bend, 2 * reach + 3, axis=0, mode="nearest")[inner]
    low, high = (
        np.minimum.reduce([minimum, *ends]) - tolerance,
        np.maximum.reduce([maximum, *ends]) + tolerance,
    )
    checked = x.isel(time=inner)
    out = checked.copy(data=(checked.values < low) | (checked.values > high)).rename("outside")
    out.attrs = {"units": "1", "long_name": f"outside the band of a {delay:g} s delay"}
    return out


def fraction_outside_delay_band(
    run: Recording, delay: float, *, demand: str = DEMAND, measured: str = MEASURED
) -> Value:
    """Return the fraction of samples, 0 to 1, outside the band of a constant `delay` [s] (see `outside_delay_band`)."""
    fraction = outside_delay_band(run, delay, demand=demand, measured=measured).mean("time").values
    return float(fraction) if fraction.ndim == 0 else fraction


def _check_delay(delay: float, t: np.ndarray) -> None:
    if not (np.isfinite(delay) and delay > 0):
        raise ParameterError(f"delay: got {delay:g} s; expected a finite delay above 0 s")
    if delay >= t[-1] - t[0]:
        raise AnalysisError(
            f"delay: got {delay:g} s; expected less than the length of the record, {t[-1] - t[0]:g} s"
        )


def _interpolate(z: xr.DataArray, t: np.ndarray) -> np.ndarray:
    """Return z at times between its samples, interpolated linearly."""
    columns = z.values.reshape(z.sizes["time"], -1)
    interpolated = [np.interp(t, z["time"].values, columns[:, i]) for i in range(columns.shape[1])]
    return np.stack(interpolated, axis=1).reshape(len(t), *z.shape[1:])


def _direction(opening: float) -> str:
    if abs(opening) < MIN_OPENING:
        return IN_PHASE
    return LATE if opening > 0 else EARLY
