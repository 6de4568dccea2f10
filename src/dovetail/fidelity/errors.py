r"""The three errors of a hybrid test, and Proposition 1.

With z* the displacement of the complete machine (the ideal), z the demand of the numerical substructure
and x the measured displacement:

.. math:: e_1 = z^* - z, \qquad e_2 = z - x, \qquad e = e_1 + e_2 = z^* - x

e1 is the error of the numerical substructure, e2 the local (synchronisation) error of the rig, e the global
error of the test. Only e2 can be measured without a model of the whole. They are coupled through the force:
e2 causes e1, by a factor that belongs to the system and grows without bound towards the critical delay
[Wallace 2006, sec. 2.5-2.6].
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
    "e1": ("e_1", "numerical error: ideal minus demand"),
    "e2": ("e_2", "local error: demand minus measured"),
    "e": ("e", "global error: ideal minus measured"),
}


def local_error(run: Recording, *, demand: str = DEMAND, measured: str = MEASURED) -> xr.DataArray:
    """e2 = z - x, the error that can be measured without an ideal."""
    difference = trace(run, demand) - trace(run, measured)
    return _described(difference, "e2", trace(run, demand).attrs.get("units", "m"))


def errors(run: Recording, ideal: Recording, *, demand: str = DEMAND, measured: str = MEASURED) -> xr.Dataset:
    """e1, e2 and e along the times that the run and the ideal share."""
    hybrid, complete = on_common_times(run, ideal)
    reference, z, x = trace(complete, demand), trace(hybrid, demand), trace(hybrid, measured)
    if reference.shape != z.shape or z.shape != x.shape:
        raise ParameterError(
            f"ideal, demand and measured have shapes {reference.shape}, {z.shape}, {x.shape}; they must agree"
        )
    units = z.attrs.get("units", "m")
    found = {"e1": reference - z, "e2": z - x, "e": reference - x}
    return xr.Dataset({name: _described(array, name, units) for name, array in found.items()})


def rms(array: xr.DataArray) -> xr.DataArray:
    """Root mean square over time."""
    return (array**2).mean("time") ** 0.5


def peak(array: xr.DataArray) -> xr.DataArray:
    """Largest magnitude over time."""
    return abs(array).max("time")


def norms(run: Recording, ideal: Recording, *, demand: str = DEMAND, measured: str = MEASURED) -> xr.Dataset:
    """`rms` and `peak` of e1, e2 and e (along "error"), as shares of the rms of the ideal displacement.

    NaN on an axis on which the ideal does not move.
    """
    found = errors(run, ideal, demand=demand, measured=measured)
    _, complete = on_common_times(run, ideal)
    scale = rms(trace(complete, demand))
    if not (scale > 0).any():
        raise AnalysisError(f'the ideal "{demand}" does not move; errors relative to it have no meaning')
    along = xr.concat([found[name] for name in _ABOUT], dim="error", combine_attrs="drop")
    along = along.assign_coords(error=list(_ABOUT))
    size = scale.where(scale > 0)
    out = xr.Dataset({"rms": rms(along) / size, "peak": peak(along) / size, "scale": scale})
    out["rms"].attrs = {"units": "1", "long_name": "rms of the error over rms of the ideal"}
    out["peak"].attrs = {"units": "1", "long_name": "peak of the error over rms of the ideal"}
    out["scale"].attrs = {
        "units": dataset(ideal)[demand].attrs.get("units", "m"),
        "long_name": "rms of the ideal",
    }
    return out


@dataclass(frozen=True)
class Proposition1:
    """What Proposition 1 says of a run: no local error, hence no numerical error.

    `holds` is None where the proposition says nothing, because e2 is not zero.
    """

    rms_e1: Value  # share of the rms of the ideal
    rms_e2: Value  # share of the rms of the ideal
    holds: bool | None

    def __str__(self) -> str:
        e1, e2 = np.nanmax(self.rms_e1), np.nanmax(self.rms_e2)
        if self.holds is None:
            return f"Proposition 1 says nothing: e2 is {e2:.3g} of the ideal, not zero"
        return (
            f"Proposition 1 {'holds' if self.holds else 'fails'}: e2 is {e2:.3g} and e1 {e1:.3g} of the ideal"
        )


def proposition_1(
    run: Recording,
    ideal: Recording,
    *,
    integration_error: float,
    synchronised: float = 1e-9,
    demand: str = DEMAND,
    measured: str = MEASURED,
) -> Proposition1:
    """Check that a run whose e2 vanishes has no e1 beyond the error of its integration.

    Parameters
    ----------
    integration_error : float
        Largest rms of e1, as a share of the rms of the ideal, that integration alone explains. Where the
        measured force is held over a sample this includes the half sample that holding costs.
    synchronised : float
        Largest rms of e2, as a share of the rms of the ideal, that counts as zero.
    """
    if not integration_error > 0 or not synchronised >= 0:
        raise ParameterError(
            f"got integration_error {integration_error:g}, synchronised {synchronised:g}; "
            "the first must be above 0, the second at least 0"
        )
    found = norms(run, ideal, demand=demand, measured=measured)["rms"]
    e1, e2 = found.sel(error="e1").values, found.sel(error="e2").values
    holds = None if np.nanmax(e2) > synchronised else bool(np.nanmax(e1) <= integration_error)
    return Proposition1(_value(e1), _value(e2), holds)


def _described(array: xr.DataArray, name: str, units: str) -> xr.DataArray:
    symbol, label = _ABOUT[name]
    array = array.rename(name)
    array.attrs = {"units": units, "symbol": symbol, "long_name": label}
    return array


def _value(array: np.ndarray) -> Value:
    return float(array) if array.ndim == 0 else array
