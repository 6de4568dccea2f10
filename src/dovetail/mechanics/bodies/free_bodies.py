r"""Free body in contact with a free or prescribed body: the numerical substructure of a six-axis test.

The interface motion is the motion of a frame P on the first body (probe tip) relative to a frame D on the second
body (drogue base), measured from the initial pose, so that the rig starts at zero:

.. math:: z = \left(p_{DP} - p_{DP}(0),\; \Phi\!\left(R_{DP}(0)^{\mathsf T} R_{DP}\right)\right)

three lengths in the axes of D and three Euler angles 3-2-1 in the initial axes of P. The feedback force
is a wrench on the first body about P: the force in the axes of D, the moment in the initial axes of P. For small
rotations, force times velocity is then power. Source: [Bondoky 2020, secs 6.3 and 6.4],
whose sensor table measures the moment about D.

Applications are docking of two spacecraft and landing of an airframe on a deck. The rig reproduces the relative
motion: it moves the gear against a fixed plate. A second body that is a `FrameMotion` follows its prescribed motion,
independent of the forces. Gravity acts on free bodies, `loads` (wind, rotor) on the first body.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import RK4, Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.bodies.loads import BodyLoad, BodyMotion
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.pair import BodyPair, ContactingPair, PairState
from dovetail.mechanics.bodies.rigid_body import BodyState
from dovetail.mechanics.motion import FrameMotion, MotionModel
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler


class ContactingBodies(Substructure):
    """Two bodies in contact, the first of them free, with a contact frame on each; base class.

    A free second body is initially at rest, with the origin of D in the origin of W. D is rotated relative to the
    body by `base_euler` (default: half a turn about z, so its x axis points out of the body, towards the
    first). `velocity` and `angular_velocity` are those of P relative to D, in the axes of P.
    """

    rotary_axes: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    large: ClassVar[bool] = True  # about 600 operations
    # contact lasts many ticks: fourth order is sufficient and compiles ten times faster
    reference_settings: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 2}

    first: MassProperties
    second: MotionModel
    tip: Parameter = parameter("m", "origin of P from the first body's centre of mass, in its axes")
    base: Parameter = parameter("m", "origin of D from the second body's centre of mass, in its axes")
    position: Parameter = parameter("m", "initial position of P in D")
    attitude: Parameter = parameter(
        "rad", "initial roll, pitch, yaw of the first body relative to the second"
    )
    velocity: Parameter = parameter("m/s", "initial velocity of P relative to D, in the axes of P")
    angular_velocity: Parameter = parameter(
        "rad/s", "initial angular velocity of P relative to D, in the axes of P", default=(0.0, 0.0, 0.0)
    )
    base_euler: Parameter = parameter(
        "rad", "roll, pitch, yaw of D relative to the second body", default=(0.0, 0.0, jnp.pi)
    )
    gravity: Parameter = parameter("m/s^2", "gravity on free bodies, world axes", default=(0.0, 0.0, 0.0))
    loads: tuple[BodyLoad, ...] = ()

    @property
    def home(self) -> Pose:
        """Initial pose of P in D."""
        return Pose(self._R_TD.T @ euler.to_matrix(self.attitude), self.position)

    def __check_init__(self) -> None:
        super().__check_init__()
        if not isinstance(self.second, MassProperties | FrameMotion):
            raise ParameterError(
                f"{type(self).__name__}.second: got {type(self.second).__name__}; expected mass properties (free body) "
                "or a frame motion (prescribed body)"
            )

    @property
    def _R_TD(self) -> jax.Array:
        return euler.to_matrix(self.base_euler)

    @property
    def _free(self) -> MassProperties | None:
        """The second body if it moves freely, else None."""
        return self.second if isinstance(self.second, MassProperties) else None

    def _prescribed_state(self, t: Time) -> BodyState:
        """Return the state of a prescribed second body."""
        assert isinstance(self.second, FrameMotion)
        state = self.second.state(t)
        return BodyState.from_pose(state.pose, state.twist)

    def _full_state(self, t: Time, x: PairState) -> PairState:
        """Return the state including that of a prescribed second body."""
        return x if self._free else dataclasses.replace(x, second=self._prescribed_state(t))

    @property
    @abstractmethod
    def pair(self) -> ContactingPair:
        """The bodies with their initial state."""

    @property
    @abstractmethod
    def _equations(self) -> ContactingPair:
        """The bodies without initial state, for the equations of motion."""

    @property
    def _started_pair(self) -> BodyPair:
        """The two bodies with their initial state."""
        home, X_TD = self.home, Pose(self._R_TD, self.base)
        target = None if self._free else self._prescribed_state(0.0)
        return BodyPair.from_interface_motion(
            self.first,
            self._free,
            Pose(p=self.tip),
            X_TD,
            X_WD=Pose(self._R_TD) if target is None else target.pose @ X_TD,
            X_DP=home,
            V_DP=Twist(home.R @ self.velocity, home.R @ self.angular_velocity),
            V_WT=None if target is None else target.twist,
            gravity=self.gravity,
        )

    @property
    def _pair_without_state(self) -> BodyPair:
        """The two bodies without initial state."""
        return BodyPair(
            self.first, self._free, Pose(p=self.tip), Pose(self._R_TD, self.base), None, self.gravity
        )

    def init(self) -> PairState:
        start: PairState = self.pair.start  # type: ignore[assignment]  # not None here
        if self._free:
            return start
        return dataclasses.replace(start, second=None)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self._rate(t, self._full_state(t, x), u)

    def _rate(self, t: Time, whole: PairState, u: Input) -> PairState:
        pair = self._equations
        return pair.derivative(t, whole, self._about_D(pair, whole, u["force"]), self._outer(t, whole.first))

    def _outer(self, t: Time, first: BodyState) -> Wrench | None:
        """Return the wrench of `loads` on the first body, in W about its centre."""
        if not self.loads:
            return None
        R = first.pose.R
        motion = BodyMotion(R, first.p, R.T @ first.v, first.w, jnp.zeros(3))
        loads = [load.act(t, motion) for load in self.loads]
        return Wrench(*(jnp.sum(jnp.stack(parts), axis=0) for parts in zip(*loads, strict=True))).reexpress(R)

    def _about_D(self, pair: ContactingPair, x: PairState, force: jax.Array) -> Wrench:
        given = as_wrench(force)
        about_P = Wrench(given.f, self.home.R @ given.tau)
        return about_P.shift(-pair.relative(x)[0].p)

    def output(self, t: Time, x: State, u: Input) -> Output:
        pair, home = self._equations, self.home
        t, whole = jnp.asarray(t, float), self._full_state(t, x)
        (motion, speed), (_, acceleration) = jax.jvp(
            lambda t, x: as_motion(home, *pair.relative(self._full_state(t, x))),
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
class FreeBodies(ContactingBodies):
    """Two rigid bodies in contact, the first of them free; six interface axes."""

    @property
    def pair(self) -> BodyPair:
        return self._started_pair

    @property
    def _equations(self) -> BodyPair:
        return self._pair_without_state


def as_wrench(force: jax.Array) -> Wrench:
    """Return six interface forces as force and moment."""
    force = jnp.broadcast_to(jnp.asarray(force, float), (6,))
    return Wrench(force[:3], force[3:])


def as_motion(home: Pose, pose: Pose, twist: Twist) -> tuple[jax.Array, jax.Array]:
    """Return displacement and velocity on the six interface axes, for the pose of P in D and its twist in D."""
    angles = euler.from_matrix(home.R.T @ pose.R)
    rates = euler.rates(angles, pose.R.T @ twist.w)
    return jnp.concatenate([pose.p - home.p, angles]), jnp.concatenate([twist.v, rates])


def from_motion(home: Pose, motion: jax.Array, speed: jax.Array) -> tuple[Pose, Twist]:
    """Return the pose of P in D and its twist in D from displacement and velocity on the six interface axes."""
    R = home.R @ euler.to_matrix(motion[3:])
    spin = R @ euler.angular_velocity(motion[3:], speed[3:])
    return Pose(R, home.p + motion[:3]), Twist(speed[:3], spin)
