"""Recorded traces: a run or a dataset in, checked arrays out.

Every measure of this package reads its signals here, so that a missing signal, a non-finite sample, a
trace too short to judge or unequal sampling is answered once, in words, and never becomes a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError


@runtime_checkable
class HasData(Protocol):
    """What has a recording, such as a run."""

    @property
    def data(self) -> xr.Dataset:
        """Its signals over time."""


Recording = xr.Dataset | HasData
Value = float | np.ndarray  # a float for one axis, an array (axis,) for several

SHORTEST = 4  # samples: fewer cannot carry a rate, a spectrum or a loop
TIME_TOLERANCE = 1e-6  # of a sample period: rounding of recorded times, far below any real offset


def dataset(run: Recording) -> xr.Dataset:
    """The dataset of a run, or the dataset itself."""
    data = run.data if isinstance(run, HasData) else run
    if not isinstance(data, xr.Dataset):
        raise ParameterError(
            f"got {type(run).__name__}; expected an xarray.Dataset or a run with one as .data"
        )
    if "time" not in data.dims or "time" not in data.coords:
        raise ParameterError('the dataset has no "time" coordinate; recorded traces run along "time"')
    return data


def trace(run: Recording, name: str, *, at_least: int = SHORTEST) -> xr.DataArray:
    """The finite trace called `name`, time first; raises where there is none."""
    data = dataset(run)
    if name not in data.data_vars:
        raise UnknownNameError("recorded signal", name, (str(n) for n in data.data_vars), renamed="signals")
    array = data[name]
    if "time" not in array.dims:
        raise AnalysisError(f'"{name}" does not vary in time; choose a trace recorded along "time"')
    array = array.transpose("time", ...).astype(float)
    if array.sizes["time"] < at_least:
        raise AnalysisError(f'"{name}" has {array.sizes["time"]} samples; this needs at least {at_least}')
    finite = np.isfinite(array.values).reshape(array.sizes["time"], -1).all(axis=1)
    if not finite.all():
        first = int(np.argmin(finite))
        t = float(array["time"].values[first])
        raise AnalysisError(
            f'"{name}" is not finite from t = {t:g} s (sample {first}) on; '
            f"judge the part before it: data.isel(time=slice(0, {first}))"
        )
    return array


def values(run: Recording, *names: str, at_least: int = SHORTEST) -> tuple[np.ndarray, ...]:
    """Times and traces as arrays: t (time,), then each trace (time,) or (time, axis)."""
    traces = [trace(run, name, at_least=at_least) for name in names]
    return times(run), *(array.values for array in traces)


def times(run: Recording) -> np.ndarray:
    """Sample times [s], increasing."""
    t = np.asarray(dataset(run)["time"].values, dtype=float)
    if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise AnalysisError("the times of the recording do not increase; sort it, and drop repeated samples")
    return t


def period(run: Recording) -> float:
    """Sample period [s] of an equally sampled recording."""
    t = times(run)
    if len(t) < 2:
        raise AnalysisError(f"the recording has {len(t)} samples; a sample period needs two")
    dt = (t[-1] - t[0]) / (len(t) - 1)
    if np.abs(np.diff(t) - dt).max() > 1e-3 * dt:
        raise AnalysisError("the samples are not equally spaced; interpolate the recording to a fixed rate")
    return float(dt)


def on_common_times(run: Recording, ideal: Recording) -> tuple[xr.Dataset, xr.Dataset]:
    """Both recordings at the times they share: a run stopped early is judged on what it recorded."""
    a, b = dataset(run), dataset(ideal)
    ta, tb = times(a), times(b)
    if len(ta) < SHORTEST or len(tb) < SHORTEST:
        raise AnalysisError(
            f"the recordings have {len(ta)} and {len(tb)} samples; at least {SHORTEST} are needed"
        )
    tolerance = TIME_TOLERANCE * min(np.diff(ta).min(), np.diff(tb).min())
    at = np.clip(np.searchsorted(tb, ta - tolerance), 0, len(tb) - 1)
    shared = np.abs(tb[at] - ta) <= tolerance
    if shared.sum() < SHORTEST:
        raise AnalysisError(
            f"the recordings share {shared.sum()} sample times; record the ideal at the times of the run "
            f"({ta[0]:g} to {ta[-1]:g} s, {len(ta)} samples), for example ideal.interp(time=run.time)"
        )
    if len(ta) == len(tb) and shared.all():  # nothing to choose, and nothing to copy
        return a, b.assign_coords(time=a["time"])
    a = a.isel(time=np.flatnonzero(shared))
    return a, b.isel(time=at[shared]).assign_coords(time=a["time"])


def by_axis(measure: Callable[..., float], *arrays: np.ndarray) -> Value:
    """`measure` of each axis by itself: a float for traces (time,), an array for traces (time, axis)."""
    if arrays[0].ndim == 1:
        return float(measure(*arrays))
    columns = [array.reshape(len(array), -1) for array in arrays]
    found = [float(measure(*(c[:, i] for c in columns))) for i in range(columns[0].shape[1])]
    return np.array(found).reshape(arrays[0].shape[1:])


def moving(name: str, array: np.ndarray) -> np.ndarray:
    """The trace about its mean; raises where it does not move."""
    about = array - array.mean()
    if not np.any(np.abs(about) > 1e-14 * max(np.abs(array).max(), np.finfo(float).tiny)):
        raise AnalysisError(f'"{name}" does not move; a delay, a loop or a spectrum needs motion')
    return about
