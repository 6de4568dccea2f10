"""A robot cell as a file: a virtual rig, where it rests, and what it holds itself to.

`kind = "cell"` at the top of a file makes it one; `dovetail rig serve FILE` serves it.
"""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, count, parameter
from dovetail.core.errors import Fault, guarded
from dovetail.core.random import seeded
from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell, at_rest
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.transfer.robot import Course, SafetyLimits


class CellFile(Part):
    """A cell with a virtual specimen.

    Poses are of the tool against the specimen, in the frame of the specimen: six values, position [m] and
    rotation vector [rad]; with fewer values `home` makes it a cell of independent axes.
    """

    rig: AbstractRig
    home: jax.Array = parameter("m", "where it rests: position [m], rotation vector [rad]")
    safety: SafetyLimits = SafetyLimits()
    course: Course = Course()
    period: jax.Array = parameter("s", "of its controller", default=4e-3, above=0.0)
    averaging_time: jax.Array = parameter("s", "over which it reads at rest", default=0.0, at_least=0.0)
    settled: jax.Array = parameter(
        "m", "largest distance from the target at rest", default=jnp.inf, above=0.0
    )
    seed: int = count("from which every random number of the cell follows", default=0)
    title: str = eqx.field(default="", static=True)
    source: str = eqx.field(default="", static=True)

    def faults(self) -> list[Fault]:
        """What is wrong with the cell as a whole."""

        def size() -> list[Fault]:
            self._sized()
            return []

        return guarded("rig", size)

    def _sized(self) -> AbstractRig:
        shape = jnp.shape(self.home)
        return seeded(self, jax.random.key(self.seed)).rig.sampled_at(float(self.period), shape)

    def cell(self, keep: Path | None = None, pace: float = 0.0) -> VirtualCell:
        """The cell, at rest. `keep` is the file in which it keeps its state, `pace` its speed."""
        home = jnp.asarray(self.home, dtype=float)
        sized = self._sized()
        rig, state = at_rest(sized, home) if isinstance(sized, Rig) else (sized, sized.init())
        return VirtualCell(
            rig,
            state,
            np.asarray(home),
            period=float(self.period),
            course=self.course,
            safety=self.safety,
            averaging=float(self.averaging_time),
            settled=float(self.settled),
            pace=pace,
            keep=keep,
            name=self.title or "virtual cell",
        )
