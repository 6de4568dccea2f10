r"""The energy a rig adds to a test.

Over the interface, a perfect rig hands on all power: what leaves the numerical substructure enters the
specimen. A real rig stands between two motions, z and x, and two forces, F (fed back) and F_s (of the
specimen), and its balance is

.. math:: E = \int F\,\dot z\,dt - \int F_s\,\dot x\,dt
          \;=\; \int F (\dot z - \dot x)\,dt \quad\text{where}\quad F = F_s .

Sign: F acts on the numerical substructure in +z, so the first integral is work done on it; the second is
minus the work done on the specimen. **Positive: the rig adds energy**, as a delay does (negative damping);
negative: it takes energy away, as a lead does. For a spring k and a sine of amplitude A that arrives late by
the phase :math:`\varphi` it adds :math:`\pi k A^2 \sin\varphi` in a cycle.

The part `transfer` is that of late or wrong motion and force, taken along the traces as they were recorded;
the part `hold` comes on top because the loop holds the last force over a sample instead of following it:
half a sample of further delay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recording, Value, dataset, trace, values


@dataclass(frozen=True)
class EnergyAdded:
    """Energy [J] that the rig added over a run; negative where it took some away."""

    transfer: Value  # by motion and force that arrive late or wrong
    hold: Value  # by holding the force over each sample
    throughput: Value  # that crossed the interface either way, for scale

    @property
    def total(self) -> Value:
        """Both parts together [J]."""
        return self.transfer + self.hold

    @property
    def share(self) -> Value:
        """The total as a share of what crossed the interface; NaN where nothing did."""
        through = np.asarray(self.throughput)
        found = np.divide(self.total, through, out=np.full_like(through, np.nan), where=through > 0)
        return float(found) if found.ndim == 0 else found


def energy_added(
    run: Recording, *, held: bool = True, demand: str = DEMAND, force: str = "force"
) -> EnergyAdded:
    """Energy the rig added over a run.

    The specimen's side is what the rig truly did where that is recorded (a virtual rig:
    `achieved_displacement` and `specimen_force`), else what was measured.

    Parameters
    ----------
    held : bool
        Whether the loop held the force over each sample, as a sampled loop does; a recording of a continuous
        system did not.
    """
    motion, specimen = _specimen_side(run, force)
    _, z, x, f, fs = values(run, demand, motion, force, specimen)
    along_z, along_x = _work(f, z), _work(fs, x)
    return EnergyAdded(
        transfer=_value((along_z - along_x).sum(axis=0)),
        hold=_value(_hold(f, z, held).sum(axis=0)),
        throughput=_value(np.abs(along_z).sum(axis=0)),
    )


def energy_in_time(
    run: Recording, *, held: bool = True, demand: str = DEMAND, force: str = "force"
) -> xr.DataArray:
    """Energy [J] the rig has added up to each time; it ends at the total of `energy_added`."""
    z = trace(run, demand)
    motion, specimen = _specimen_side(run, force)
    _, zv, x, f, fs = values(run, demand, motion, force, specimen)
    total = np.zeros_like(zv)
    total[1:] = np.cumsum(_work(f, zv) - _work(fs, x) + _hold(f, zv, held), axis=0)
    out = z.copy(data=total).rename("energy_added")
    out.attrs = {"units": "J", "symbol": "E", "long_name": "energy added by the rig"}
    return out


def _specimen_side(run: Recording, force: str) -> tuple[str, str]:
    """Names of the motion and force at the specimen."""
    known = dataset(run).data_vars
    if "achieved_displacement" in known and "specimen_force" in known:
        return "achieved_displacement", "specimen_force"
    return MEASURED, "measured_force" if "measured_force" in known else force


def _work(force: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Work of a force along a motion over each sample period (trapezoids: no differentiated noise)."""
    return 0.5 * (force[1:] + force[:-1]) * np.diff(motion, axis=0)


def _hold(force: np.ndarray, motion: np.ndarray, held: bool) -> np.ndarray:
    """What holding the force adds over each sample period; nothing where it was not held."""
    return -0.5 * held * np.diff(force, axis=0) * np.diff(motion, axis=0)


def _value(array: np.ndarray) -> Value:
    array = np.asarray(array, dtype=float)
    return float(array) if array.ndim == 0 else array
