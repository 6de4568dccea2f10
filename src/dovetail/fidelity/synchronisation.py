r"""The synchronisation subspace: demand z to the right, measured x upwards.

A perfect rig draws the 45-degree line, an amplitude ratio tilts it, a delay opens it into a loop that runs
anticlockwise (energy is added: negative damping) and a lead into one that runs clockwise (added damping).
Drawing z(t - tau_c) against z(t) over it shows the loop at which the test would lose stability
[Wallace 2006, sec. 2.6, 3.4].
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

ANTICLOCKWISE, CLOCKWISE, LINE = "anticlockwise", "clockwise", "line"
CLOSED = 1e-3  # opening below which a loop is a line: 0.05 ms at 3 Hz


@dataclass(frozen=True)
class SynchronisationLoop:
    """The subspace loop of one run: its opening and sense, by axis.

    `opening` is the sine of the phase lag for a sine (positive: late), `area` [unit of z, squared] what the
    loop encloses over the whole record, positive when drawn anticlockwise.
    """

    opening: Value
    area: Value

    @property
    def orientation(self) -> str | tuple[str, ...]:
        """`anticlockwise` (delay), `clockwise` (lead) or `line`."""
        senses = tuple(_sense(opening) for opening in np.ravel(self.opening))
        return senses[0] if np.ndim(self.opening) == 0 else senses


def loop(run: Recording, *, demand: str = DEMAND, measured: str = MEASURED) -> SynchronisationLoop:
    r"""Opening and signed area of the loop that (z, x) draws about its middle.

    .. math:: A = \frac12 \oint (z\,dx - x\,dz), \qquad
       \text{opening} = \frac{A}{T\,\bar\omega\, z_{rms}\, x_{rms}}, \qquad
       \bar\omega = \dot z_{rms} / z_{rms}

    The frequency is the demand's, because a noisy x has no useful rate.
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
    """The loop that a constant `delay` [s] would draw: `demand` and `delayed_demand` = z(t - delay)."""
    z = trace(run, demand)
    t = z["time"].values
    _check_delay(delay, t)
    kept = z.isel(time=np.flatnonzero(t >= t[0] + delay))
    shifted = _at(z, kept["time"].values - delay)
    return xr.Dataset({"demand": kept, "delayed_demand": kept.copy(data=shifted)})


def outside(run: Recording, delay: float, *, demand: str = DEMAND, measured: str = MEASURED) -> xr.DataArray:
    """Where the measured loop lies outside the band of a constant `delay` [s]: true or false in time.

    A sample is inside if some delay or lead up to `delay` explains it, that is if x(t) lies between the least
    and the greatest z within `delay` of t. For a sine this is the ellipse of that delay, its tips rounded off
    so that a perfect rig is inside. The first and last `delay` of the record cannot be judged; they drop out.

    A short excursion is no instability: that needs to accumulate over many samples, at the growth rate of the
    actual delay.
    """
    dt = period(run)
    z, x = trace(run, demand), trace(run, measured)
    t = z["time"].values
    _check_delay(delay, t)
    inner = np.flatnonzero((t >= t[0] + delay) & (t <= t[-1] - delay))
    if len(inner) == 0:
        raise AnalysisError(
            f"the record of {t[-1] - t[0]:g} s is too short for a band of {delay:g} s either side"
        )
    reach = math.floor(delay / dt + 1e-9)
    ends = [_at(z, t[inner] - delay), _at(z, t[inner] + delay)]
    least = scipy.ndimage.minimum_filter1d(z.values, 2 * reach + 1, axis=0, mode="nearest")[inner]
    most = scipy.ndimage.maximum_filter1d(z.values, 2 * reach + 1, axis=0, mode="nearest")[inner]
    bend = (
        np.abs(np.diff(z.values, n=2, axis=0)) / 8
    )  # how far z may stray from straight lines between samples
    bend = np.concatenate([bend[:1], bend, bend[-1:]])
    slack = scipy.ndimage.maximum_filter1d(bend, 2 * reach + 3, axis=0, mode="nearest")[inner]
    low, high = np.minimum.reduce([least, *ends]) - slack, np.maximum.reduce([most, *ends]) + slack
    judged = x.isel(time=inner)
    out = judged.copy(data=(judged.values < low) | (judged.values > high)).rename("outside")
    out.attrs = {"units": "1", "long_name": f"outside the band of a {delay:g} s delay"}
    return out


def share_outside(run: Recording, delay: float, *, demand: str = DEMAND, measured: str = MEASURED) -> Value:
    """Share of samples, 0 to 1, outside the band of a constant `delay` [s] (see `outside`)."""
    share = outside(run, delay, demand=demand, measured=measured).mean("time").values
    return float(share) if share.ndim == 0 else share


def _check_delay(delay: float, t: np.ndarray) -> None:
    if not (np.isfinite(delay) and delay > 0):
        raise ParameterError(f"delay: got {delay:g} s; the overlay needs a finite delay above 0 s")
    if delay >= t[-1] - t[0]:
        raise AnalysisError(f"delay: got {delay:g} s, longer than the record of {t[-1] - t[0]:g} s")


def _at(z: xr.DataArray, t: np.ndarray) -> np.ndarray:
    """z at times between its samples, linearly."""
    columns = z.values.reshape(z.sizes["time"], -1)
    found = [np.interp(t, z["time"].values, columns[:, i]) for i in range(columns.shape[1])]
    return np.stack(found, axis=1).reshape(len(t), *z.shape[1:])


def _sense(opening: float) -> str:
    if abs(opening) < CLOSED:
        return LINE
    return ANTICLOCKWISE if opening > 0 else CLOCKWISE
