r"""Hexapod as the actuator of a six-axis test, with lag, speed limit and stops of each leg.

The six interface axes (three lengths in the axes of D and roll, pitch, yaw from the initial pose of the tip, see
`mechanics.bodies.free_bodies`) are converted into the pose of the platform that carries the tip, and this pose into six
leg lengths. Each leg follows its demand as a second-order lag with a given total delay, within its speed limit and its
stops. The motion of the tip follows from the legs. For slow and small motions the model equals six identical lags, the
robot of [Bondoky 2020, sec. 6.4.2]. Large motions couple the axes, and fast ones reach the speed limit. Loads do not
deform it; `demands` computes the leg forces that a run requires.
"""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.mechanics.spatial import Pose, Wrench, euler
from dovetail.transfer.base import Transfer
from dovetail.transfer.hexapod import Hexapod
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer


@kind("hexapod-robot")
class HexapodRobot(Transfer):
    """Six-axis actuator with the leg kinematics and limits of a hexapod.

    `mounting` rotates the axes of D into those of the hexapod. By default D's x axis, out of the drogue, points from
    the platform to its base, so the robot pushes the tip into the drogue.
    """

    hexapod: Hexapod = eqx.field(default_factory=Hexapod)
    delay: Parameter = parameter("s", "total delay of a leg, four time constants", above=0.0, default=1e-3)
    damping: Parameter = parameter("1", "damping ratio of a leg", above=0.0, default=0.7)
    tool: Parameter = parameter(
        "m", "distance of the tip from the platform centre", at_least=0.0, default=0.3
    )
    mounting: Parameter = parameter(
        "rad", "roll, pitch, yaw of D in the hexapod's frame", default=(0.0, np.pi / 2, 0.0)
    )
    initial_angles: Parameter = parameter(
        "rad", "initial roll, pitch, yaw of the tip's frame in D", default=(0.0, 0.0, 0.0)
    )

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> HexapodRobot:
        if tuple(shape) != (6,):
            raise ParameterError(
                f"HexapodRobot: got an interface of shape {tuple(shape)}; expected six axes, (6,)"
            )
        return dataclasses.replace(self, shape=(6,))

    @property
    def lag(self) -> SecondOrderLag:
        """Lag of each leg."""
        return SecondOrderLag(4.0 / self.delay, self.damping, shape=(6,))

    @property
    def _turns(self) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Rotation of D in the hexapod's frame, initial rotation of the tip's frame in D, and the tool vector [m]."""
        tool = jnp.array([0.0, 0.0, 1.0]) * self.tool
        return euler.to_matrix(self.mounting), euler.to_matrix(self.initial_angles), tool

    def platform(self, motion: Float[Array, "6"]) -> Pose:
        """Pose of the platform, in the hexapod's frame, for a displacement on the six interface axes."""
        R_HD, R_DP0, tool = self._turns
        start = R_HD @ R_DP0
        R = start @ euler.to_matrix(motion[3:]) @ start.T
        return Pose(R, self.hexapod.home.p + R_HD @ motion[:3] + tool - R @ tool)

    def motion(self, platform: Pose) -> Float[Array, "6"]:
        """Displacement on the six interface axes for a pose of the platform: the inverse of `platform`."""
        R_HD, R_DP0, tool = self._turns
        start = R_HD @ R_DP0
        moved = platform.p - self.hexapod.home.p - tool + platform.R @ tool
        return jnp.concatenate([R_HD.T @ moved, euler.from_matrix(start.T @ platform.R @ start)])

    def init(self) -> State:
        zero = jnp.zeros(6)
        return (
            zero,
            zero,
            zero,
        ), self.hexapod.home  # extension of the legs, their rate, last demand; platform

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        (extension, rate, last), before = x
        rest = self.hexapod.lengths(self.hexapod.home)
        demand = self.hexapod.lengths(self.platform(jnp.asarray(u, float))) - rest
        (unlimited, speed, _), _ = self.lag.step(t, dt, (extension, rate, last), demand)
        reach = self.hexapod.max_leg_speed * dt
        new = jnp.clip(unlimited, extension - reach, extension + reach)
        new = jnp.clip(new, self.hexapod.min_leg_length - rest, self.hexapod.max_leg_length - rest)
        speed = jnp.where(new == unlimited, speed, (new - extension) / dt)
        # a step moves a leg by a fraction of a millimetre: two Newton iterations reach rounding error
        platform = self.hexapod.pose(rest + new, before, iterations=2)
        return ((new, speed, demand), platform), self.motion(platform)

    def linear(self) -> LinearTransfer:
        """Linear model for small motions within the limits: six equal lags."""
        lag = self.lag.linear()
        return LinearTransfer(lag.numerator, lag.denominator, remarks=("leg limits assumed not reached",))

    def wrench(self, motion: Float[Array, "6"], force: Float[Array, "6"]) -> Wrench:
        """Wrench of the legs on the platform that balances six interface forces on the tip."""
        R_HD, R_DP0, tool = self._turns
        platform = self.platform(motion)
        at_tip = Wrench(R_HD @ force[:3], R_HD @ R_DP0 @ force[3:])
        return (-at_tip).shift(-platform.R @ tool)

    def demands(self, motion: Float[Array, "t 6"], force: Float[Array, "t 6"], dt: float) -> Demands:
        """Utilisation of the legs by a run: displacements and forces on the six axes, (t, 6), sampled every dt [s]."""
        return _demands(self, jnp.asarray(motion, float), jnp.asarray(force, float), dt)


class Demands(eqx.Module):
    """Utilisation of a hexapod by a run, largest values as fractions of the limits; above 1 it is not feasible."""

    stroke: jax.Array  # distance from the middle of a leg's range, divided by half the range
    tilt: jax.Array
    speed: jax.Array
    force: jax.Array

    @property
    def feasible(self) -> bool:
        """True if no value exceeds 1."""
        return bool(max(float(v) for v in jax.tree.leaves(self)) <= 1.0)

    def __str__(self) -> str:
        percent = {name: 100 * float(getattr(self, name)) for name in ("stroke", "tilt", "speed", "force")}
        text = ", ".join(f"{name} {value:.3g} %" for name, value in percent.items())
        exceeded = [name for name, value in percent.items() if value > 100]
        return f"leg utilisation: {text}" + (
            f"; exceeded: {', '.join(exceeded)}" if exceeded else "; feasible"
        )


@eqx.filter_jit
def _demands(robot: HexapodRobot, motion: jax.Array, force: jax.Array, dt: float) -> Demands:
    hexapod = robot.hexapod

    def pose_and_legs(motion: jax.Array, force: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        pose = robot.platform(motion)
        legs = hexapod.forces(pose, robot.wrench(motion, force))
        return hexapod.lengths(pose), hexapod.tilts(pose), legs

    lengths, tilts, legs = jax.vmap(pose_and_legs)(motion, force)
    middle, half = (
        (hexapod.max_leg_length + hexapod.min_leg_length) / 2,
        (hexapod.max_leg_length - hexapod.min_leg_length) / 2,
    )
    return Demands(
        stroke=jnp.max(jnp.abs(lengths - middle)) / half,
        tilt=jnp.max(tilts) / hexapod.max_joint_angle,
        speed=jnp.max(jnp.abs(jnp.diff(lengths, axis=0))) / dt / hexapod.max_leg_speed,
        force=jnp.max(jnp.abs(legs)) / hexapod.max_leg_force,
    )
