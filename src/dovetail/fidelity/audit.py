"""What a run says about itself without an ideal: do momentum and energy add up, and was the robot where it was told?

A numerical substructure may keep its own books: what its momentum and energy differ from their start and all that
forces have done is recorded as `momentum_residual` and `energy_residual`. They are zero but for the error of the
steps; a model whose motion and forces do not belong together shows here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.fidelity.pose_error import pose_error
from dovetail.fidelity.traces import Recording, dataset, trace


@dataclass(frozen=True)
class Audit:
    """Largest residuals of a run; NaN where nothing was recorded to tell."""

    energy: float = np.nan  # [J]
    energy_share: float = np.nan  # of the largest kinetic energy
    momentum: float = np.nan  # [N s]
    translation: float = np.nan  # [m] of the robot in contact
    angle: float = np.nan  # [rad] of the robot in contact

    def rows(self) -> list[tuple[str, str]]:
        """What could be told, named."""
        found = []
        if np.isfinite(self.energy):
            share = (
                f", {self.energy_share:.1e} of the kinetic energy" if np.isfinite(self.energy_share) else ""
            )
            found.append(("energy adds up to", f"{self.energy:.2g} J{share}"))
        if np.isfinite(self.momentum):
            found.append(("momentum adds up to", f"{self.momentum:.2g} N s"))
        if np.isfinite(self.translation):
            found.append(
                (
                    "robot within",
                    f"{1e6 * self.translation:.3g} um, {np.degrees(self.angle):.2g} deg in contact",
                )
            )
        return found

    def __str__(self) -> str:
        return "; ".join(f"{name} {text}" for name, text in self.rows())


def audit(run: Recording) -> Audit:
    """The audit of a recorded run: whatever of it was recorded."""
    data = dataset(run)

    def largest(name: str) -> float:
        if name not in data:
            return np.nan
        values = trace(data, name, at_least=1).values.reshape(data.sizes["time"], -1)
        return float(np.linalg.norm(values, axis=1).max())

    energy, kinetic = largest("energy_residual"), largest("kinetic_energy")
    try:
        away = pose_error(data)
        robot = {name: float(away[name].max()) for name in ("translation", "angle")}
    except (AnalysisError, KeyError):
        robot = {}
    return Audit(
        energy=energy,
        energy_share=energy / kinetic if kinetic > 0 else np.nan,
        momentum=largest("momentum_residual"),
        **robot,
    )
