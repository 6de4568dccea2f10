r"""A free body that meets another, free or moved as prescribed: the numerical substructure of a six-axis test.

What crosses the interface is the motion of a frame P on the first body (the probe's tip) relative to a frame
D on the second (the drogue's base), counted from where it is at the start, so that a rig starts from rest:

.. math:: z = \left(p_{DP} - p_{DP}(0),\; \Phi\!\left(R_{DP}(0)^{\mathsf T} R_{DP}\right)\right)

three lengths in the axes of D and three Euler angles 3-2-1 in the axes P had at the start. The force that
comes back is a wrench on the first body about P: the force in the axes of D, the moment in the axes P had at
the start, so that for small turns force times velocity is power. Source: [Bondoky 2020, secs 6.3 and 6.4],
whose sensor table reads the moment about D.

So two spacecraft dock, and so an airframe comes down on a deck: the rig need not move the deck, it moves the gear
against a plate as the airframe moves against the deck. A second body that is a `FrameMotion` goes where it is told,
whatever acts on it; gravity acts on free bodies, `loads` (wind, a rotor) on the first.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import RK4, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.bodies.loads import BodyLoad, BodyMotion
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.pair import BodyPair, MeetingPair, PairState
from dovetail.mechanics.bodies.rigid_body import BodyState
from dovetail.mechanics.motion import FrameMotion, Mover
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler


class MeetingBodies(Substructure):
    """Two bodies that meet with a frame each, the first of them free, whatever else hangs on them.

    A free second body is at rest at the start, with the origin of D in the origin of W; D is turned against the
    body by `base_euler` (by default half a turn about z: its x axis points out of the body, towards the
    first). `velocity` and `spin` are those of P relative to D, in the axes of P.
    """

    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    large: ClassVar[bool] = True  # some six hundred operations
    # contact lasts many ticks: fourth order is enough, and compiles in a tenth of the time
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 2}

    first: MassProperties
    second: Mover
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
    gravity: jax.Array = parameter("m/s^2", "of free bodies, in the world's axes", default=(0.0, 0.0, 0.0))
    loads: tuple[BodyLoad, ...] = ()

    @property
    def home(self) -> Pose:
        """Pose of P in D at the start."""
        return Pose(self._R_TD.T @ euler.to_matrix(self.attitude), self.position)

    def __check_init__(self):
        super().__check_init__()
        if not isinstance(self.second, MassProperties | FrameMotion):
            raise ParameterError(
                f"{type(self).__name__}.second: {type(self.second).__name__} is neither free nor told where to be; "
                "take a body or a motion of a frame"
            )

    @property
    def _R_TD(self) -> jax.Array:
        return euler.to_matrix(self.base_euler)

    @property
    def _free(self) -> MassProperties | None:
        """The second body, where it is one that moves freely."""
        return self.second if isinstance(self.second, MassProperties) else None

    def _told(self, t) -> BodyState:
        """State of a second body that moves as prescribed."""
        assert isinstance(self.second, FrameMotion)
        state = self.second.state(t)
        return BodyState.at(state.pose, state.twist)

    def _whole(self, t, x: PairState) -> PairState:
        """The state with that of the second body in it."""
        return x if self._free else dataclasses.replace(x, second=self._told(t))

    @property
    @abstractmethod
    def pair(self) -> MeetingPair:
        """The bodies as they meet."""

    @property
    @abstractmethod
    def _equations(self) -> MeetingPair:
        """The bodies without their start, which only `init` needs."""

    @property
    def _meeting(self) -> BodyPair:
        """The two that meet, with their start."""
        home, X_TD = self.home, Pose(self._R_TD, self.base)
        target = None if self._free else self._told(0.0)
        return BodyPair.meeting(
            self.first,
            self._free,
            Pose(p=self.tip),
            X_TD,
            X_WD=Pose(self._R_TD) if target is None else target.pose @ X_TD,
            X_DP=home,
            V_DP=Twist(home.R @ self.velocity, home.R @ self.spin),
            V_WT=None if target is None else target.twist,
            gravity=self.gravity,
        )

    @property
    def _facing(self) -> BodyPair:
        """The two that meet, without it."""
        return BodyPair(
            self.first, self._free, Pose(p=self.tip), Pose(self._R_TD, self.base), None, self.gravity
        )

    def init(self) -> PairState:
        start: PairState = self.pair.start  # type: ignore[assignment]  # made with one
        if self._free:
            return start
        return dataclasses.replace(start, second=None)  # type: ignore[arg-type]  # see `PairState`

    def derivative(self, t, x, u):
        return self._rate(t, self._whole(t, x), u)

    def _rate(self, t, whole: PairState, u):
        pair = self._equations
        return pair.derivative(t, whole, self._about_D(pair, whole, u["force"]), self._outer(t, whole.first))

    def _outer(self, t, first: BodyState) -> Wrench | None:
        """What else acts on the first body, in W about its centre."""
        if not self.loads:
            return None
        R = first.pose.R
        motion = BodyMotion(R, first.p, R.T @ first.v, first.w, jnp.zeros(3))
        force, moment = map(sum, zip(*(load.act(t, motion) for load in self.loads), strict=True))
        return Wrench(force, moment).expressed(R)

    def _about_D(self, pair: MeetingPair, x: PairState, force) -> Wrench:
        given = as_wrench(force)
        about_P = Wrench(given.f, self.home.R @ given.tau)
        return about_P.at(-pair.relative(x)[0].p)

    def output(self, t, x, u):
        pair, home = self._equations, self.home
        t, whole = jnp.asarray(t, float), self._whole(t, x)
        (motion, speed), (_, acceleration) = jax.jvp(
            lambda t, x: as_motion(home, *pair.relative(self._whole(t, x))),
            (t, x),
            (jnp.ones_like(t), self._rate(t, whole, u)),
        )
        return {
            "displacement": motion,
            "velocity": speed,
            "acceleration": acceleration,
            "probe_position": home.p + motion[:3],
            "kinetic_energy": pair.kinetic_energy(whole),
        }


@kind("free-bodies")
class FreeBodies(MeetingBodies):
    """Two rigid bodies that meet with a frame each, the first of them free; six interface axes."""

    @property
    def pair(self) -> BodyPair:
        return self._meeting

    @property
    def _equations(self) -> BodyPair:
        return self._facing


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
