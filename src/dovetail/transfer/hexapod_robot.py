r"""A hexapod as the actuator of a six-axis test: each leg lags, has a top speed and stops.

The six interface axes (three lengths in the axes of D and roll, pitch, yaw from where the tip was at the
start, see `mechanics.bodies.free_bodies`) are turned into the pose of the platform that carries the tip, and
that into six leg lengths. Each leg follows its own as a second-order lag of a total delay, no faster than its
top speed and no further than its stops; where the tip then is follows from the legs. Slow and small motions
are those of six equal lags, the robot of [Bondoky 2020, sec. 6.4.2]; large ones couple the axes, and fast
ones fall behind. Loads do not bend it; `demands` says how much force a run asks of the legs.
"""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.mechanics.spatial import Pose, Wrench, euler
from dovetail.transfer.base import Transfer
from dovetail.transfer.hexapod import Hexapod
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer


@kind("hexapod-robot")
class HexapodRobot(Transfer):
    """Six axes in, six axes out, through the legs of a hexapod.

    `mounting` turns the axes of D into those of the hexapod: by default D's x axis, out of the drogue, points
    from the platform back to its base, so that the robot pushes the tip into the drogue.
    """

    hexapod: Hexapod = eqx.field(default_factory=Hexapod)
    delay: jax.Array = parameter("s", "total delay of a leg, four time constants", above=0.0, default=1e-3)
    damping: jax.Array = parameter("1", "damping ratio of a leg", above=0.0, default=0.7)
    tool: jax.Array = parameter("m", "tip ahead of the platform's middle", at_least=0.0, default=0.3)
    mounting: jax.Array = parameter(
        "rad", "roll, pitch, yaw of D in the hexapod's frame", default=(0.0, np.pi / 2, 0.0)
    )
    home_euler: jax.Array = parameter(
        "rad", "roll, pitch, yaw of the tip's frame in D at the start", default=(0.0, 0.0, 0.0)
    )

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> HexapodRobot:
        if tuple(shape) != (6,):
            raise ParameterError(f"HexapodRobot: moves six axes; this interface has the shape {tuple(shape)}")
        return dataclasses.replace(self, shape=(6,))

    @property
    def lag(self) -> SecondOrderLag:
        """Of each leg."""
        return SecondOrderLag(4.0 / self.delay, self.damping, shape=(6,))

    @property
    def _turns(self) -> tuple[jax.Array, jax.Array, jax.Array]:
        """D in the hexapod's frame, the tip's frame at the start in that of D, and the tool [m]."""
        tool = jnp.array([0.0, 0.0, 1.0]) * self.tool
        return euler.to_matrix(self.mounting), euler.to_matrix(self.home_euler), tool

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
        (asked, speed, _), _ = self.lag.step(t, dt, (extension, rate, last), demand)
        reach = self.hexapod.speed * dt
        new = jnp.clip(asked, extension - reach, extension + reach)
        new = jnp.clip(new, self.hexapod.shortest - rest, self.hexapod.longest - rest)
        speed = jnp.where(new == asked, speed, (new - extension) / dt)
        # a step moves a leg by a fraction of a millimetre: two of Newton's iterations reach rounding
        platform = self.hexapod.pose(rest + new, before, iterations=2)
        return ((new, speed, demand), platform), self.motion(platform)

    def linear(self) -> LinearTransfer:
        """Six equal lags: what it is for motions small against its size, within its limits."""
        lag = self.lag.linear()
        return LinearTransfer(
            lag.numerator, lag.denominator, remarks=("limits of the legs taken as not reached",)
        )

    def wrench(self, motion: Float[Array, "6"], force: Float[Array, "6"]) -> Wrench:
        """What the legs must exert on the platform when six interface forces act on the tip."""
        R_HD, R_DP0, tool = self._turns
        platform = self.platform(motion)
        at_tip = Wrench(R_HD @ force[:3], R_HD @ R_DP0 @ force[3:])
        return (-at_tip).at(-platform.R @ tool)

    def demands(self, motion: Float[Array, "t 6"], force: Float[Array, "t 6"], dt: float) -> Demands:
        """What a run asks of the legs: displacements and forces on the six axes, (t, 6), every dt [s]."""
        return _demands(self, jnp.asarray(motion, float), jnp.asarray(force, float), dt)


class Demands(eqx.Module):
    """Largest shares of a hexapod's abilities that a run asks for; above one it cannot be done."""

    stroke: jax.Array  # way from the middle of a leg's range, over half the range
    tilt: jax.Array
    speed: jax.Array
    force: jax.Array

    @property
    def feasible(self) -> bool:
        """Whether none is above one."""
        return bool(max(float(v) for v in jax.tree.leaves(self)) <= 1.0)

    def __str__(self) -> str:
        shares = {name: 100 * float(getattr(self, name)) for name in ("stroke", "tilt", "speed", "force")}
        text = ", ".join(f"{name} {share:.3g} %" for name, share in shares.items())
        over = [name for name, share in shares.items() if share > 100]
        return f"legs used: {text}" + (f"; too much: {', '.join(over)}" if over else "; feasible")


@eqx.filter_jit
def _demands(robot: HexapodRobot, motion, force, dt) -> Demands:
    hexapod = robot.hexapod

    def now(motion, force):
        pose = robot.platform(motion)
        legs = hexapod.forces(pose, robot.wrench(motion, force))
        return hexapod.lengths(pose), hexapod.tilts(pose), legs

    lengths, tilts, legs = jax.vmap(now)(motion, force)
    middle, half = (hexapod.longest + hexapod.shortest) / 2, (hexapod.longest - hexapod.shortest) / 2
    return Demands(
        stroke=jnp.max(jnp.abs(lengths - middle)) / half,
        tilt=jnp.max(tilts) / hexapod.tilt,
        speed=jnp.max(jnp.abs(jnp.diff(lengths, axis=0))) / dt / hexapod.speed,
        force=jnp.max(jnp.abs(legs)) / hexapod.force,
    )
