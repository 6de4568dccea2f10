"""Read and check recorded signals of a run or a dataset.

Every measure of this package reads its signals here. A missing signal, a non-finite sample, a record that is too
short or unequal sampling raises an error here, in one place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Union

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError
from dovetail.core.recording import RecordedSignal, Recording

if TYPE_CHECKING:
    import xarray as xr


class HasRecording(Protocol):
    """Object with a recording, such as a run."""

    @property
    def recording(self) -> Recording:
        """Recorded signals over time."""


Recorded = Union[Recording, HasRecording, "xr.Dataset"]
Value = float | np.ndarray  # a float for one axis, an array (axis,) for several

MIN_SAMPLES = 4  # samples that a rate, a spectrum or a loop needs
TIME_TOLERANCE = 1e-6  # fraction of a sample period that counts as rounding of recorded times


def recording(run: Recorded) -> Recording:
    """Return the recording of a run or a dataset, or the recording itself."""
    data: Any = next((getattr(run, name) for name in ("recording", "data") if hasattr(run, name)), run)
    if not isinstance(data, Recording):
        if not hasattr(data, "data_vars"):
            raise ParameterError(f"got {type(run).__name__}; expected an xarray.Dataset or a run")
        data = Recording.from_dataset(data)
    if "time" not in data.coords or data.time.dims != ("time",):
        raise ParameterError(
            'the dataset has no "time" coordinate; recorded signals need a dimension "time" [s]'
        )
    return data


def trace(run: Recorded, name: str, *, at_least: int = MIN_SAMPLES) -> RecordedSignal:
    """Return the finite signal `name`, with time as first dimension."""
    data = recording(run)
    if name not in data.signals:
        raise UnknownNameError("recorded signal", name, data.signals, renamed="signals")
    signal = data.signals[name]
    if "time" not in signal.dims:
        raise AnalysisError(f'"{name}" does not vary in time; choose a signal recorded along "time"')
    values = signal.values.astype(float, copy=False)
    if len(values) < at_least:
        raise AnalysisError(f'"{name}" has {len(values)} samples; expected at least {at_least}')
    finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if not finite.all():
        first = int(np.argmin(finite))
        raise AnalysisError(
            f'"{name}" is not finite from t = {data.time.values[first]:g} s (sample {first}); '
            f"analyse the part before it: data.isel(time=slice(0, {first}))"
        )
    return dataclasses.replace(signal, values=values)


def values(run: Recorded, *names: str, at_least: int = MIN_SAMPLES) -> tuple[np.ndarray, ...]:
    """Return times and signals as arrays: t (time,), then each signal (time,) or (time, axis)."""
    traces = [trace(run, name, at_least=at_least) for name in names]
    return times(run), *(array.values for array in traces)


def times(run: Recorded) -> np.ndarray:
    """Return the sample times [s], increasing."""
    t = np.asarray(recording(run).time.values, dtype=float)
    if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise AnalysisError(
            "the times of the recording do not increase; sort the samples and drop repeated ones"
        )
    return t


def period(run: Recorded) -> float:
    """Return the sample period [s] of an equally sampled recording."""
    t = times(run)
    if len(t) < 2:
        raise AnalysisError(f"the recording has {len(t)} samples; expected at least two")
    dt = (t[-1] - t[0]) / (len(t) - 1)
    if np.abs(np.diff(t) - dt).max() > 1e-3 * dt:
        raise AnalysisError("the samples are not equally spaced; interpolate the recording to a fixed rate")
    return float(dt)


def on_common_times(run: Recorded, reference: Recorded) -> tuple[Recording, Recording]:
    """Return both recordings at their common times; a run that stopped early is compared up to its end."""
    a, b = recording(run), recording(reference)
    ta, tb = times(a), times(b)
    if len(ta) < MIN_SAMPLES or len(tb) < MIN_SAMPLES:
        raise AnalysisError(
            f"the recordings have {len(ta)} and {len(tb)} samples; expected at least {MIN_SAMPLES}"
        )
    tolerance = TIME_TOLERANCE * min(np.diff(ta).min(), np.diff(tb).min())
    at = np.clip(np.searchsorted(tb, ta - tolerance), 0, len(tb) - 1)
    shared = np.abs(tb[at] - ta) <= tolerance
    if shared.sum() < MIN_SAMPLES:
        raise AnalysisError(
            f"the recordings have {shared.sum()} common sample times; record the reference at the times of the run "
            f"({ta[0]:g} to {ta[-1]:g} s, {len(ta)} samples), for example reference.interp(time=run.time)"
        )
    if len(ta) == len(tb) and shared.all():  # identical times: no copy needed
        return a, b.at_times(a.time)
    a = a.isel(time=np.flatnonzero(shared))
    return a, b.isel(time=at[shared]).at_times(a.time)


def by_axis(measure: Callable[..., float], *arrays: np.ndarray) -> Value:
    """Apply `measure` to each axis: a float for signals (time,), an array for signals (time, axis)."""
    if arrays[0].ndim == 1:
        return float(measure(*arrays))
    columns = [array.reshape(len(array), -1) for array in arrays]
    results = [float(measure(*(c[:, i] for c in columns))) for i in range(columns[0].shape[1])]
    return np.array(results).reshape(arrays[0].shape[1:])


def moving(name: str, array: np.ndarray) -> np.ndarray:
    """Return the signal about its mean; raise if it does not move."""
    about = array - array.mean()
    if not np.any(np.abs(about) > 1e-14 * max(np.abs(array).max(), np.finfo(float).tiny)):
        raise AnalysisError(f'"{name}" does not move; delay, loop and spectrum need motion')
    return about
