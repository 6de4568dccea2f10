r"""Energy that the rig adds to a test.

An ideal rig transfers all power at the interface from the numerical substructure to the specimen. A real rig
has two motions, z and x, and two forces, F (fed back) and F_s (of the specimen). Its energy balance is

.. math:: E = \int F\,\dot z\,dt - \int F_s\,\dot x\,dt
          \;=\; \int F (\dot z - \dot x)\,dt \quad\text{if}\quad F = F_s .

Sign: F acts on the numerical substructure in +z, so the first integral is work done on the numerical
substructure; the second is minus the work done on the specimen. **Positive: the rig adds energy**, as a delay
does (negative damping). Negative: the rig removes energy, as a lead does. For a spring k and a sine of
amplitude A with phase lag :math:`\varphi`, the energy per cycle is :math:`\pi k A^2 \sin\varphi`.

`transfer` is the energy due to delay and distortion of motion and force, from the recorded signals. `hold` is
the additional energy because the loop holds the last force over a sample: half a sample of further delay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dovetail.core.recording import RecordedSignal
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recorded, Value, recording, trace, values


@dataclass(frozen=True)
class EnergyAdded:
    """Energy [J] added by the rig over a run; negative if the rig removed energy."""

    transfer: Value  # due to delay and distortion of motion and force
    hold: Value  # due to holding the force over each sample
    throughput: Value  # exchanged at the interface, both directions counted positive

    @property
    def total(self) -> Value:
        """Sum of both parts [J]."""
        return self.transfer + self.hold

    @property
    def fraction(self) -> Value:
        """Total as a fraction of the energy exchanged at the interface; NaN if none was exchanged."""
        exchanged = np.asarray(self.throughput)
        fraction = np.divide(self.total, exchanged, out=np.full_like(exchanged, np.nan), where=exchanged > 0)
        return float(fraction) if fraction.ndim == 0 else fraction


def energy_added(
    run: Recorded, *, force_held: bool = True, demand: str = DEMAND, force: str = "feedback_force"
) -> EnergyAdded:
    """Return the energy that the rig added over a run.

    Motion and force of the specimen are `achieved_displacement` and `specimen_force` if these are recorded
    (simulated rig), otherwise the measured signals.

    Parameters
    ----------
    force_held : bool
        Whether the loop held the force over each sample, as a sampled loop does. False for a recording of a
        continuous-time system.
    """
    motion, specimen = _specimen_side(run, force)
    _, z, x, f, fs = values(run, demand, motion, force, specimen)
    along_z, along_x = _work(f, z), _work(fs, x)
    return EnergyAdded(
        transfer=_value((along_z - along_x).sum(axis=0)),
        hold=_value(_hold(f, z, force_held).sum(axis=0)),
        throughput=_value(np.abs(along_z).sum(axis=0)),
    )


def energy_in_time(
    run: Recorded, *, force_held: bool = True, demand: str = DEMAND, force: str = "feedback_force"
) -> RecordedSignal:
    """Return the energy [J] added by the rig up to each time; the last value is the total of `energy_added`."""
    motion, specimen = _specimen_side(run, force)
    _, z, x, f, fs = values(run, demand, motion, force, specimen)
    total = np.zeros_like(z)
    total[1:] = np.cumsum(_work(f, z) - _work(fs, x) + _hold(f, z, force_held), axis=0)
    about = {"units": "J", "symbol": "E", "long_name": "energy added by the rig"}
    return RecordedSignal(total, trace(run, demand).dims, about)


def _specimen_side(run: Recorded, force: str) -> tuple[str, str]:
    """Return the names of the specimen's motion and force signals."""
    names = recording(run)
    if "achieved_displacement" in names and "specimen_force" in names:
        return "achieved_displacement", "specimen_force"
    return MEASURED, "measured_force" if "measured_force" in names else force


def _work(force: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Return the work of a force over each sample period (trapezoids: no differentiated noise)."""
    return 0.5 * (force[1:] + force[:-1]) * np.diff(motion, axis=0)


def _hold(force: np.ndarray, motion: np.ndarray, force_held: bool) -> np.ndarray:
    """Return the energy that holding the force adds in each sample period; zero if the force was not held."""
    return -0.5 * force_held * np.diff(force, axis=0) * np.diff(motion, axis=0)


def _value(array: np.ndarray) -> Value:
    array = np.asarray(array, dtype=float)
    return float(array) if array.ndim == 0 else array
