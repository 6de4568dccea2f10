"""Settings of a pseudo-dynamic test: step sizes, move times, contact gate, scales."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core import OptionalParameter, Parameter, Part, choice, count, parameter
from dovetail.testing.pseudodynamic.gate import AlwaysOn, ContactGate
from dovetail.transfer.robot.trajectory import POSE_AXES, MotionProfile, pose_distance

if TYPE_CHECKING:
    from dovetail.testing.test import Test


class PseudodynamicSettings(Part):
    r"""Settings of a pseudo-dynamic test.

    Schemes:

    - `stepwise`: the robot moves to each simulated pose in `move_time`, rests for `settling_time`, and the force is
      measured. If the pose has changed by less than the repeatability of the robot, the force is held and the
      simulation continues until the move exceeds the repeatability.
    - `classical`: the same with the central difference method, for a numerical substructure whose degrees of
      freedom are those of the interface.
    - `continuous`: the robot moves without a stop, `time_scale` times slower than the test, and the force is measured
      during the motion. The delay of the robot has an effect, reduced by `time_scale`.

    A scaled specimen is moved by the displacement divided by `length_scale`; its force is multiplied by `force_scale`
    and its moment by `moment_scale`. Source: [Bolien 2018, secs 3.2 and 4.2].
    """

    ONE_KIND: ClassVar[bool] = True

    gate: ContactGate = AlwaysOn()
    motion_profile: MotionProfile = MotionProfile()
    scheme: str = choice(
        "stepwise", "classical", "continuous", about="scheme of the pseudo-dynamic test", default="stepwise"
    )
    contact_step: Parameter = parameter(
        "s", "simulation step while the contact gate is open", default=1e-3, above=0.0
    )
    free_step: Parameter = parameter(
        "s", "simulation step while the contact gate is closed", default=1e-3, above=0.0
    )
    move_time: Parameter = parameter("s", "time of a move", default=2.0, above=0.0)
    max_speed: Parameter = parameter(
        "m/s", "largest mean speed of a move; a longer move takes more time", default=jnp.inf, above=0.0
    )
    settling_time: Parameter = parameter("s", "rest before the measurement", default=1.0, at_least=0.0)
    averaging_time: Parameter = parameter(
        "s", "averaging time of the measurement, at the end of the rest", default=0.0, at_least=0.0
    )
    repeatability: Parameter = parameter(
        "m", "repeatability of the robot; smaller moves are not made", default=0.0, at_least=0.0
    )
    angular_repeatability: Parameter = parameter(
        "rad", "angular repeatability of the robot", default=0.0, at_least=0.0
    )
    time_scale: Parameter = parameter(
        "1", "continuous: robot time per simulated time", default=100.0, above=0.0
    )
    control_period: Parameter = parameter(
        "s", "control period of the simulated cell", default=4e-3, above=0.0
    )
    length_scale: Parameter = parameter("1", "simulated length per physical length", default=1.0, above=0.0)
    force_scale: Parameter = parameter("1", "simulated force per measured force", default=1.0, above=0.0)
    moment_scale: Parameter = parameter("1", "simulated moment per measured moment", default=1.0, above=0.0)
    position_tolerance: Parameter = parameter(
        "m", "largest distance from the target at the measurement", default=jnp.inf, above=0.0
    )
    home_pose: OptionalParameter = parameter(
        "m",
        "pose of zero displacement in the frame of the cell: position [m], rotation vector [rad]",
        default=None,
    )
    stop_signal: str = eqx.field(static=True, default="")  # the test ends when this signal exceeds 0.5
    free_record_every: int = count("free steps from one record to the next", default=1, at_least=1)

    @property
    def times(self) -> tuple[float, float]:
        """Move time and settling time [s]."""
        if self.scheme == "continuous":
            return float(self.time_scale * self.contact_step), 0.0
        return float(self.move_time), float(self.settling_time)

    def command(self, displacement: Float[Array, "*axes"]) -> Float[Array, "*axes"]:
        """Return the scaled displacement, which is sent to the robot."""
        if displacement.shape != (POSE_AXES,):
            return displacement / self.length_scale
        return jnp.concatenate([displacement[:3] / self.length_scale, displacement[3:]])

    def exceeds_repeatability(
        self, displacement: Float[Array, "*axes"], last: Float[Array, "*axes"]
    ) -> Bool[Array, ""]:
        """Return whether the command differs from the last one by more than the repeatability."""
        distance, angle = pose_distance(self.command(displacement), last)
        return (distance > self.repeatability) | (angle > self.angular_repeatability)


def with_settings(test: Test) -> Test:
    """Return the test with pseudo-dynamic settings; default: steps of one tick."""
    if test.pseudodynamic is not None:
        return test
    settings = PseudodynamicSettings(contact_step=test.dt, free_step=test.dt)
    return dataclasses.replace(test, pseudodynamic=settings)
