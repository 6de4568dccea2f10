"""Energy balance of a run: the recorded residual against the largest energy or work, and the tolerance of the method.

A system may record `energy_residual`: its energy minus the energy at the start and the work of all forces. The residual
is the error of the integration; a larger one shows that the model is inconsistent or the steps are too long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from dovetail.core import signals
from dovetail.core.block import Method
from dovetail.core.quantities import QUANTITIES

LEAST_TOLERANCE = 1e-2  # [belytschko2014, sec. 6.2]
LEAST_ENERGY = 1e-9  # [J] a system at rest has none


def energy_tolerance(method: Method | None) -> float:
    """Return the energy residual that the errors of a method explain, relative to the largest energy or work.

    A method of order p with ten steps per radian errs by 10^-p; with error control, the errors of a hundred steps may
    add up. It is at least 1 %, the usual bound [belytschko2014, sec. 6.2], because contact, slack and the edge of a
    wake limit every method. A method that states neither is taken as one of order 2.
    """
    if getattr(method, "control", "fixed") == "adaptive":
        return max(100 * float(getattr(method, "rtol", 0.0)), LEAST_TOLERANCE)
    order: Any = getattr(method, "order", None) or getattr(getattr(method, "tableau", None), "order", 2)
    return max(float(10.0**-order), LEAST_TOLERANCE)


def residual_and_largest_energy(
    records: Mapping[str, Any], valid: Any = True, xp: ModuleType = np
) -> tuple[Any, Any]:
    """Return the size of the residual, (time, parts), and the largest energy or work up to each time, (time, 1).

    Records have time first. Samples that are not `valid` (time,) are left out. `xp` is `numpy`, or `jax.numpy` in a
    compiled program.
    """
    counts = xp.reshape(xp.asarray(valid), (-1, 1))

    def rows(name: str) -> Any:
        values = xp.asarray(records[name])
        values = xp.reshape(values, (len(values), -1))
        return xp.where(counts, values, values[:1])

    residual = xp.where(counts, xp.abs(rows("energy_residual")), 0.0)
    largest = xp.full((len(residual), 1), LEAST_ENERGY)
    for name in energy_names(records):
        values = rows(name)
        lowest = 0.0 if name == "kinetic_energy" else xp.minimum.accumulate(values)
        range_ = xp.maximum.accumulate(values) - lowest
        largest = xp.maximum(largest, xp.max(range_, axis=1, keepdims=True))
    return residual, largest


def energy_names(records: Mapping[str, Any]) -> list[str]:
    """Return the recorded energies and works, without the residual."""
    known = signals.all_signals()
    return [n for n in records if n != "energy_residual" and n in known and known[n].unit == "J"]


@dataclass(frozen=True)
class EnergyBalance:
    """Energy balance of a run: largest residual, its tolerance, and where and when it opened."""

    residual: float  # [J] largest
    share: float  # largest, relative to the largest energy or work
    tolerance: float  # of the method
    part: str  # the part with the largest residual
    opened: float | None  # [s] first time at which the share exceeds the tolerance

    @property
    def closes(self) -> bool:
        """Whether the residual stays within the tolerance."""
        return self.opened is None

    def __str__(self) -> str:
        relative = QUANTITIES["energy_residual_fraction"]
        size = (
            f"{QUANTITIES['energy_residual'].text(self.residual)}, {relative.text(self.share)} of the largest energy "
            f"or work (tolerance {relative.text(self.tolerance)})"
        )
        if self.opened is None:
            return f"Energy closes: {size}."
        return (
            f"Energy does not close: {self.part}, from {self.opened:.4g} s on, {size}. Use a higher rate or more "
            "substeps; if the residual does not fall, the model is inconsistent."
        )


def energy_balance(
    times: np.ndarray, records: Mapping[str, Any], method: Method | None, parts: list[str]
) -> EnergyBalance | None:
    """Return the energy balance of records, arrays with time first; None without a residual and an energy.

    `parts` names the columns of the residual.
    """
    if "energy_residual" not in records or not energy_names(records) or not len(times):
        return None
    (residual, largest), tolerance = residual_and_largest_energy(records), energy_tolerance(method)
    if not np.isfinite(residual).all():
        return None  # the outcome of the run says so
    worst = int(np.argmax(residual.max(axis=0)))
    share = float(residual[:, worst].max() / largest[-1, 0])
    beyond = np.flatnonzero((residual[:, worst] > tolerance * largest[:, 0]) & (share > tolerance))
    return EnergyBalance(
        float(residual[:, worst].max()),
        share,
        tolerance,
        parts[min(worst, len(parts) - 1)],
        float(times[beyond[0]]) if len(beyond) else None,
    )
