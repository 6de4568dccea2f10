"""Cell file: simulated rig, home pose and safety limits of a robot cell.

The file has `kind = "cell"`; serve it with `dovetail rig serve FILE`.
"""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, count, parameter
from dovetail.core.errors import Fault, collect_faults
from dovetail.core.random import assign_keys
from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell, rig_at_rest
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.transfer.robot import MotionProfile, SafetyLimits


class CellFile(Part):
    """Simulated robot cell.

    Poses are those of the tool relative to the specimen, in the frame of the specimen: position [m] and rotation
    vector [rad]. If `home_pose` has fewer than six values, the cell has independent axes.
    """

    rig: AbstractRig
    home_pose: Parameter = parameter("m", "pose at rest: position [m], rotation vector [rad]")
    safety: SafetyLimits = SafetyLimits()
    motion_profile: MotionProfile = MotionProfile()
    control_period: Parameter = parameter("s", "control period of the cell", default=4e-3, above=0.0)
    averaging_time: Parameter = parameter(
        "s", "averaging time of the measurement at rest", default=0.0, at_least=0.0
    )
    position_tolerance: Parameter = parameter(
        "m", "largest distance from the target at rest", default=jnp.inf, above=0.0
    )
    seed: int = count("seed of all random numbers of the cell", default=0)
    title: str = eqx.field(default="", static=True)
    source: str = eqx.field(default="", static=True)

    def faults(self) -> list[Fault]:
        """Return the faults of the cell, beyond the checks of each part."""

        def shape_faults() -> list[Fault]:
            self._rig_with_shapes()
            return []

        return collect_faults("rig", shape_faults)

    def _rig_with_shapes(self) -> AbstractRig:
        shape = jnp.shape(self.home_pose)
        rig = assign_keys(self, jax.random.key(self.seed)).rig
        return rig.with_sample_time(float(self.control_period), shape)

    def cell(self, state_file: Path | None = None, pace: float = 0.0) -> VirtualCell:
        """Return the cell at rest; see `VirtualCell` for `state_file` and `pace`."""
        home = jnp.asarray(self.home_pose, dtype=float)
        sized = self._rig_with_shapes()
        rig, state = rig_at_rest(sized, home) if isinstance(sized, Rig) else (sized, sized.init())
        return VirtualCell(
            rig,
            state,
            np.asarray(home),
            control_period=float(self.control_period),
            motion_profile=self.motion_profile,
            safety=self.safety,
            averaging_time=float(self.averaging_time),
            position_tolerance=float(self.position_tolerance),
            pace=pace,
            state_file=state_file,
            name=self.title or "simulated cell",
        )
