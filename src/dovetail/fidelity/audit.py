"""Momentum and energy audit of a run, and pose error of the robot; no reference solution is needed.

A numerical substructure may record its `momentum_residual` and `energy_residual`: change of momentum or energy since
the start, minus the impulse or work of all forces. The residuals are zero except for the integration error. A model
whose motion and forces are inconsistent has larger residuals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dovetail.core import roles
from dovetail.core.energy_balance import LEAST_ENERGY, residual_and_largest_energy
from dovetail.core.errors import AnalysisError
from dovetail.core.quantities import QUANTITIES
from dovetail.fidelity.largest import largest_values
from dovetail.fidelity.pose_error import pose_error
from dovetail.fidelity.traces import Recorded, recording, trace
from dovetail.testing.run import Run


@dataclass(frozen=True)
class Audit:
    """Largest residuals of a run; NaN if the signals were not recorded."""

    energy: float = np.nan  # [J]
    energy_fraction: float = np.nan  # fraction of the largest energy or work recorded
    momentum: float = np.nan  # [N s]
    translation: float = np.nan  # [m] of the robot in contact
    angle: float = np.nan  # [rad] of the robot in contact

    def rows(self) -> list[tuple[str, str]]:
        """Return name and text of each available residual."""
        values = {
            "energy_residual": self.energy,
            "energy_residual_fraction": self.energy_fraction,
            "momentum_residual": self.momentum,
        }
        rows = [
            (QUANTITIES[name].name, QUANTITIES[name].text(value))
            for name, value in values.items()
            if np.isfinite(value)
        ]
        if np.isfinite(self.translation):
            rows.append(
                (
                    "largest pose error of the robot",
                    f"{1e6 * self.translation:.3g} um, {np.degrees(self.angle):.2g} deg in contact",
                )
            )
        return rows


def audit(run: Recorded) -> Audit:
    """Return the audit of a recorded run, from the signals it contains."""
    data = recording(run)

    def largest(name: str) -> float:
        if name not in data:
            return np.nan
        values = trace(data, name, at_least=1).values.reshape(data.sizes["time"], -1)
        return float(np.linalg.norm(values, axis=1).max())

    energy, scale = largest("energy_residual"), np.nan
    if "energy_residual" in data:
        scale = float(residual_and_largest_energy({name: data[name].values for name in data})[1][-1, 0])
    try:
        errors = pose_error(data)
        robot = {name: float(errors[name].max()) for name in ("translation", "angle")}
    except (AnalysisError, KeyError):
        robot = {}
    return Audit(
        energy=energy,
        energy_fraction=energy / scale if scale > LEAST_ENERGY else np.nan,
        momentum=largest("momentum_residual"),
        **robot,
    )


def results(run: Run) -> dict[str, str]:
    """Return the results of a simulation as text by name: those of its system, largest values, and its audit."""
    return {
        **roles.measured_values(run.test.numerical, run.recording),
        **largest_values(run),
        **dict(audit(run).rows()),
    }
