r"""Two free bodies as the numerical substructure of a six-axis test.

What crosses the interface is the motion of a frame P on the first body (the probe's tip) relative to a frame
D on the second (the drogue's base), counted from where it is at the start, so that a rig starts from rest:

.. math:: z = \left(p_{DP} - p_{DP}(0),\; \Phi\!\left(R_{DP}(0)^{\mathsf T} R_{DP}\right)\right)

three lengths in the axes of D and three Euler angles 3-2-1 in the axes P had at the start. The force that
comes back is a wrench on the first body about P: the force in the axes of D, the moment in the axes P had at
the start, so that for small turns force times velocity is power. Source: [Bondoky 2020, secs 6.3 and 6.4],
whose sensor table reads the moment about D.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import RK4, kind, parameter
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.pair import BodyPair, PairState
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler

AXES = ("x", "y", "z", "roll", "pitch", "yaw")


@kind("free-bodies")
class FreeBodies(Substructure):
    """Two free rigid bodies that meet with a frame each; six interface axes.

    The second body is at rest at the start, with the origin of D in the origin of W and D turned against the
    body by `base_euler` (by default half a turn about z: its x axis points out of the body, towards the
    first). `velocity` and `spin` are those of P relative to D, in the axes of P.
    """

    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    large: ClassVar[bool] = True  # some six hundred operations
    # contact lasts many ticks: fourth order is enough, and compiles in a tenth of the time
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 2}

    first: MassProperties
    second: MassProperties
    tip: jax.Array = parameter("m", "P from the first body's centre of mass, in its axes")
    base: jax.Array = parameter("m", "D from the second body's centre of mass, in its axes")
    position: jax.Array = parameter("m", "P in D at the start")
    attitude: jax.Array = parameter(
        "rad", "roll, pitch, yaw of the first body against the second at the start"
    )
    velocity: jax.Array = parameter("m/s", "of P relative to D at the start, in the axes of P")
    spin: jax.Array = parameter("rad/s", "the same, angular", default=(0.0, 0.0, 0.0))
    base_euler: jax.Array = parameter(
        "rad", "roll, pitch, yaw of D against the second body", default=(0.0, 0.0, jnp.pi)
    )

    @property
    def home(self) -> Pose:
        """Pose of P in D at the start."""
        return Pose(self._R_TD.T @ euler.to_matrix(self.attitude), self.position)

    @property
    def _R_TD(self) -> jax.Array:
        return euler.to_matrix(self.base_euler)

    @property
    def pair(self) -> BodyPair:
        """The two bodies as they meet."""
        home = self.home
        return BodyPair.meeting(
            self.first,
            self.second,
            Pose(p=self.tip),
            Pose(self._R_TD, self.base),
            X_WD=Pose(self._R_TD),
            X_DP=home,
            V_DP=Twist(home.R @ self.velocity, home.R @ self.spin),
        )

    @property
    def _equations(self) -> BodyPair:
        """The two bodies without their start, which only `init` needs."""
        return BodyPair(self.first, self.second, Pose(p=self.tip), Pose(self._R_TD, self.base))

    def init(self) -> PairState:
        return self.pair.start  # type: ignore[return-value]  # made with one

    def derivative(self, t, x, u):
        pair = self._equations
        return pair.derivative(t, x, self._about_D(pair, x, u["force"]))

    def _about_D(self, pair: BodyPair, x: PairState, force) -> Wrench:
        given = as_wrench(force)
        about_P = Wrench(given.f, self.home.R @ given.tau)
        return about_P.at(-pair.relative(x)[0].p)

    def output(self, t, x, u):
        pair, home = self._equations, self.home
        rate = pair.derivative(t, x, self._about_D(pair, x, u["force"]))
        (motion, speed), (_, acceleration) = jax.jvp(
            lambda x: as_motion(home, *pair.relative(x)), (x,), (rate,)
        )
        return {
            "displacement": motion,
            "velocity": speed,
            "acceleration": acceleration,
            "probe_position": home.p + motion[:3],
            "kinetic_energy": pair.kinetic_energy(x),
        }


def as_wrench(force: jax.Array) -> Wrench:
    """Six interface forces as force and moment."""
    force = jnp.broadcast_to(jnp.asarray(force, float), (6,))
    return Wrench(force[:3], force[3:])


def as_motion(home: Pose, pose: Pose, twist: Twist) -> tuple[jax.Array, jax.Array]:
    """Displacement and velocity on the six interface axes, of P in D with twist in D."""
    turned = home.R.T @ pose.R
    angles = euler.from_matrix(turned)
    rates = euler.rates(angles, pose.R.T @ twist.w)
    return jnp.concatenate([pose.p - home.p, angles]), jnp.concatenate([twist.v, rates])


def from_motion(home: Pose, motion: jax.Array, speed: jax.Array) -> tuple[Pose, Twist]:
    """Pose of P in D and its twist in D, from displacement and velocity on the six interface axes."""
    R = home.R @ euler.to_matrix(motion[3:])
    spin = R @ euler.angular_velocity(motion[3:], speed[3:])
    return Pose(R, home.p + motion[:3]), Twist(speed[:3], spin)
