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

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.traces import Recording, Value, dataset, on_common_times, trace

DEMAND = "displacement"
MEASURED = "measured_displacement"

_ABOUT = {
    "e1": ("e_1", "response error: reference minus demand"),
    "e2": ("e_2", "tracking error: demand minus measured"),
    "e": ("e", "total error: reference minus measured"),
}


def local_error(run: Recording, *, demand: str = DEMAND, measured: str = MEASURED) -> xr.DataArray:
    """Return the tracking error e2 = z - x, which needs no reference solution."""
    difference = trace(run, demand) - trace(run, measured)
    return _with_attributes(difference, "e2", trace(run, demand).attrs.get("units", "m"))


def errors(
    run: Recording, reference: Recording, *, demand: str = DEMAND, measured: str = MEASURED
) -> xr.Dataset:
    """Return e1, e2 and e at the common times of the run and the reference solution."""
    hybrid, complete = on_common_times(run, reference)
    z_ref, z, x = trace(complete, demand), trace(hybrid, demand), trace(hybrid, measured)
    if z_ref.shape != z.shape or z.shape != x.shape:
        raise ParameterError(
            f"reference, demand and measured displacement have shapes {z_ref.shape}, {z.shape}, {x.shape}. "
            "Expected equal shapes: compare runs of the same test"
        )
    units = z.attrs.get("units", "m")
    arrays = {"e1": z_ref - z, "e2": z - x, "e": z_ref - x}
    return xr.Dataset({name: _with_attributes(array, name, units) for name, array in arrays.items()})


def rms(array: xr.DataArray) -> xr.DataArray:
    """Return the root mean square over time."""
    return (array**2).mean("time") ** 0.5


def peak(array: xr.DataArray) -> xr.DataArray:
    """Return the largest magnitude over time."""
    return abs(array).max("time")


def norms(
    run: Recording, reference: Recording, *, demand: str = DEMAND, measured: str = MEASURED
) -> xr.Dataset:
    """Return `rms` and `peak` of e1, e2 and e (dimension "error") as fractions of the rms reference displacement.

    NaN on an axis on which the reference solution does not move.
    """
    each = errors(run, reference, demand=demand, measured=measured)
    _, complete = on_common_times(run, reference)
    scale = rms(trace(complete, demand))
    if not (scale > 0).any():
        raise AnalysisError(
            f'"{demand}" of the reference solution does not move; relative errors are undefined'
        )
    stacked = xr.concat([each[name] for name in _ABOUT], dim="error", combine_attrs="drop")
    stacked = stacked.assign_coords(error=list(_ABOUT))
    size = scale.where(scale > 0)
    out = xr.Dataset({"rms": rms(stacked) / size, "peak": peak(stacked) / size, "scale": scale})
    out["rms"].attrs = {"units": "1", "long_name": "rms error over rms reference displacement"}
    out["peak"].attrs = {"units": "1", "long_name": "peak error over rms reference displacement"}
    out["scale"].attrs = {
        "units": dataset(reference)[demand].attrs.get("units", "m"),
        "long_name": "rms reference displacement",
    }
    return out


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
    run: Recording,
    reference: Recording,
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
    relative = norms(run, reference, demand=demand, measured=measured)["rms"]
    e1, e2 = relative.sel(error="e1").values, relative.sel(error="e2").values
    holds = None if np.nanmax(e2) > synchronised else bool(np.nanmax(e1) <= integration_error)
    return Proposition1(_value(e1), _value(e2), holds)


def _with_attributes(array: xr.DataArray, name: str, units: str) -> xr.DataArray:
    symbol, label = _ABOUT[name]
    array = array.rename(name)
    array.attrs = {"units": units, "symbol": symbol, "long_name": label}
    return array


def _value(array: np.ndarray) -> Value:
    return float(array) if array.ndim == 0 else array
