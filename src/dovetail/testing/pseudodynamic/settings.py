"""What a creep test needs to know beyond the test itself: steps, times, the gate, scales."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core import Part, choice, count, parameter
from dovetail.testing.pseudodynamic.gate import AlwaysNear, ContactGate
from dovetail.transfer.robot.trajectory import POSE_AXES, Course, distance


class Stepping(Part):
    r"""How a test is run pseudo-dynamically: stepped, with the specimen's force taken at rest.

    Schemes:

    - `stepwise`: the robot moves to each simulated pose in `execution_time`, rests for `settling_time`, and is
      read. Where the pose has changed by less than the robot's repeatability, the force is kept and the
      simulation goes on: the step grows until a move is worth making.
    - `classical`: the same with the central difference (or operator splitting), for a numerical substructure
      whose degrees of freedom are the interface's.
    - `continuous`: no rest; the robot moves at `time_scale` times the test's own duration without a stop and
      is read as it passes. Its delay counts, `time_scale` times smaller.

    A scaled specimen sees the motion divided by `length_scale`; what it answers is multiplied by
    `force_scale` and, for moments, `moment_scale`. Source: [Bolien 2018, secs 3.2 and 4.2].
    """

    ONE_KIND: ClassVar[bool] = True

    gate: ContactGate = AlwaysNear()
    course: Course = Course()
    scheme: str = choice(
        "stepwise", "classical", "continuous", about="how test and robot take turns", default="stepwise"
    )
    contact_step: jax.Array = parameter("s", "of the test while contact is near", default=1e-3, above=0.0)
    free_step: jax.Array = parameter("s", "of the test while it is not", default=1e-3, above=0.0)
    execution_time: jax.Array = parameter("s", "for a move", default=2.0, above=0.0)
    speed: jax.Array = parameter(
        "m/s", "of a move at most; longer ways take longer", default=jnp.inf, above=0.0
    )
    settling_time: jax.Array = parameter("s", "at rest before reading", default=1.0, at_least=0.0)
    averaging_time: jax.Array = parameter(
        "s", "over which the reading is averaged", default=0.0, at_least=0.0
    )
    repeatability: jax.Array = parameter(
        "m", "of the robot; smaller moves are not made", default=0.0, at_least=0.0
    )
    angular_repeatability: jax.Array = parameter("rad", "the same, of its turns", default=0.0, at_least=0.0)
    time_scale: jax.Array = parameter(
        "1", "continuous: robot's time to test's time", default=100.0, above=0.0
    )
    period: jax.Array = parameter("s", "of the virtual cell's controller", default=4e-3, above=0.0)
    length_scale: jax.Array = parameter("1", "simulated to physical length", default=1.0, above=0.0)
    force_scale: jax.Array = parameter("1", "measured to simulated force", default=1.0, above=0.0)
    moment_scale: jax.Array = parameter("1", "measured to simulated moment", default=1.0, above=0.0)
    settled: jax.Array = parameter(
        "m", "largest distance from the target at the reading", default=jnp.inf, above=0.0
    )
    home: jax.Array | None = parameter(
        "m",
        "pose, in the cell's own frame, of zero displacement: position [m], rotation vector [rad]",
        default=None,
    )
    until: str = eqx.field(static=True, default="")  # a signal that ends the test once it is above one half
    keep_every: int = count("free steps of which one is recorded", default=1, at_least=1)

    @property
    def times(self) -> tuple[float, float]:
        """Execution and settling time of a move [s]."""
        if self.scheme == "continuous":
            return float(self.time_scale * self.contact_step), 0.0
        return float(self.execution_time), float(self.settling_time)

    def command(self, displacement: Float[Array, "*axes"]) -> Float[Array, "*axes"]:
        """The demand as the robot is told it."""
        if displacement.shape != (POSE_AXES,):
            return displacement / self.length_scale
        return jnp.concatenate([displacement[:3] / self.length_scale, displacement[3:]])

    def worth_a_move(
        self, displacement: Float[Array, "*axes"], last: Float[Array, "*axes"]
    ) -> Bool[Array, ""]:
        """True where the commanded pose has left the last one by more than the repeatability."""
        far, turned = distance(self.command(displacement), last)
        return (far > self.repeatability) | (turned > self.angular_repeatability)
