r"""Response, tracking and total error of a hybrid test, and Proposition 1.

With z* the displacement of the reference solution, z the demand of the numerical substructure and x the
measured displacement:

.. math:: e_1 = z^* - z, \qquad e_2 = z - x, \qquad e = e_1 + e_2 = z^* - x

e1 is the response error of the numerical substructure, e2 the tracking (synchronisation) error of the rig and
e the total error of the test. Only e2 can be measured without a model of the complete system. The force couples
the errors: e2 causes e1, by a factor that is a property of the system and grows without bound towards the
critical delay [Wallace 2006, sec. 2.5-2.6].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.traces import Recorded, Value, on_common_times, recording, trace

if TYPE_CHECKING:
    import xarray as xr

MOVES = 1e-9  # fraction of the largest axis; a reference that moves less does not move
DEMAND = "displacement"
MEASURED = "measured_displacement"

_ABOUT = {
    "e1": ("e_1", "response error: reference minus demand"),
    "e2": ("e_2", "tracking error: demand minus measured"),
    "e": ("e", "total error: reference minus measured"),
}


def local_error(run: Recorded, *, demand: str = DEMAND, measured: str = MEASURED) -> xr.DataArray:
    """Return the tracking error e2 = z - x, which needs no reference solution."""
    return error_recording(run, demand=demand, measured=measured).to_dataset()["e2"]


def errors(
    run: Recorded, reference: Recorded, *, demand: str = DEMAND, measured: str = MEASURED
) -> xr.Dataset:
    """Return e1, e2 and e at the common times of the run and the reference solution."""
    return error_recording(run, reference, demand=demand, measured=measured).to_dataset()


def error_recording(
    run: Recorded, reference: Recorded | None = None, *, demand: str = DEMAND, measured: str = MEASURED
) -> Recording:
    """Return e1, e2 and e at common times as arrays; without a reference solution e2 only."""
    hybrid, complete = (recording(run), None) if reference is None else on_common_times(run, reference)
    z, x = trace(hybrid, demand), trace(hybrid, measured)
    z_ref = z if complete is None else trace(complete, demand)
    if z_ref.shape != z.shape or z.shape != x.shape:
        raise ParameterError(
            f"reference, demand and measured displacement have shapes {z_ref.shape}, {z.shape}, {x.shape}. "
            "Expected equal shapes: compare runs of the same test"
        )
    arrays = {"e1": z_ref.values - z.values, "e2": z.values - x.values, "e": z_ref.values - x.values}
    units, signals = z.attrs.get("units", "m"), {}
    for name in arrays if complete else ("e2",):
        symbol, label = _ABOUT[name]
        about = {"units": units, "symbol": symbol, "long_name": label}
        signals[name] = RecordedSignal(arrays[name], z.dims, about)
    return hybrid.with_signals(signals)


def rms(array: xr.DataArray) -> xr.DataArray:
    """Return the root mean square over time."""
    return (array**2).mean("time") ** 0.5


def peak(array: xr.DataArray) -> xr.DataArray:
    """Return the largest magnitude over time."""
    return abs(array).max("time")


@dataclass(frozen=True)
class RelativeErrors:
    """Errors e1, e2 and e as fractions of the rms reference displacement, by axis."""

    rms: dict[str, np.ndarray]
    peak: dict[str, np.ndarray]
    scale: RecordedSignal  # rms reference displacement


def relative_errors(
    run: Recorded, reference: Recorded, *, demand: str = DEMAND, measured: str = MEASURED
) -> RelativeErrors:
    """Return the relative errors as arrays; NaN on an axis on which the reference solution does not move."""
    each = error_recording(run, reference, demand=demand, measured=measured)
    z_ref = trace(on_common_times(run, reference)[1], demand)
    scale = _rms(z_ref.values)
    if not (scale > 0).any():
        raise AnalysisError(
            f'"{demand}" of the reference solution does not move; relative errors are undefined'
        )
    size = np.where(scale > MOVES * scale.max(), scale, np.nan)
    about = {"units": z_ref.attrs.get("units", "m"), "long_name": "rms reference displacement"}
    return RelativeErrors(
        {name: _rms(e.values) / size for name, e in each.signals.items()},
        {name: np.abs(e.values).max(axis=0) / size for name, e in each.signals.items()},
        RecordedSignal(np.asarray(scale), z_ref.dims[1:], about),
    )


def norms(
    run: Recorded, reference: Recorded, *, demand: str = DEMAND, measured: str = MEASURED
) -> xr.Dataset:
    """Return `rms` and `peak` of e1, e2 and e (dimension "error") as fractions of the rms reference displacement.

    NaN on an axis on which the reference solution does not move.
    """
    relative = relative_errors(run, reference, demand=demand, measured=measured)
    dims = ("error", *relative.scale.dims)
    signals = {
        name: RecordedSignal(
            np.stack(list(values.values())),
            dims,
            {"units": "1", "long_name": f"{name} error over rms reference displacement"},
        )
        for name, values in (("rms", relative.rms), ("peak", relative.peak))
    }
    result = recording(run).with_signals({**signals, "scale": relative.scale})
    names = {"error": RecordedSignal(np.array(list(relative.rms)), ("error",))}
    return Recording(result.signals, {**result.coords, **names}).to_dataset()


def _rms(values: np.ndarray) -> np.ndarray:
    return np.mean(values**2, axis=0) ** 0.5


@dataclass(frozen=True)
class Proposition1:
    """Result of checking Proposition 1 on a run: zero tracking error implies zero response error.

    `holds` is None if the proposition does not apply because e2 is not zero.
    """

    rms_e1: Value  # fraction of the rms reference displacement
    rms_e2: Value  # fraction of the rms reference displacement
    holds: bool | None

    def __str__(self) -> str:
        e1, e2 = np.nanmax(self.rms_e1), np.nanmax(self.rms_e2)
        if self.holds is None:
            return f"Proposition 1 does not apply: rms e2 is {e2:.3g} of the reference, not zero"
        return f"Proposition 1 {'holds' if self.holds else 'fails'}: rms e2 is {e2:.3g}, rms e1 is {e1:.3g}"


def proposition_1(
    run: Recorded,
    reference: Recorded,
    *,
    integration_error: float,
    synchronised: float = 1e-9,
    demand: str = DEMAND,
    measured: str = MEASURED,
) -> Proposition1:
    """Check that a run without e2 has no e1 beyond its integration error.

    Parameters
    ----------
    integration_error : float
        Largest rms of e1 that integration alone can cause, as a fraction of the rms reference displacement.
        If the measured force is held over a sample, include the error of the half-sample delay.
    synchronised : float
        Largest rms of e2 that counts as zero, as a fraction of the rms reference displacement.
    """
    if not integration_error > 0 or not synchronised >= 0:
        raise ParameterError(
            f"got integration_error {integration_error:g}, synchronised {synchronised:g}; "
            "integration_error must be above 0, synchronised at least 0"
        )
    relative = relative_errors(run, reference, demand=demand, measured=measured).rms
    e1, e2 = relative["e1"], relative["e2"]
    holds = None if np.nanmax(e2) > synchronised else bool(np.nanmax(e1) <= integration_error)
    return Proposition1(_value(e1), _value(e2), holds)


def _value(array: np.ndarray) -> Value:
    return float(array) if array.ndim == 0 else array
