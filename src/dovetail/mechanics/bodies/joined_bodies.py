r"""Spacecraft of several bodies, or with parts that bend: bodies hung on the two that dock by joints that give.

Each attached body has a joint on its carrier, the first or second body or one attached before: springs and dampers
along and about the carrier's three axes. With the displacement e of the joint's frame K on the body from that J on the
carrier, in the axes of J (three lengths, and the rotation vector :math:`\log R_{JK}`):

.. math:: U = \tfrac12\sum_i k_i e_i^2, \qquad f = -\frac{\partial U}{\partial e} - c\,\dot e

acts on the body at K, and the opposite on the carrier at the same point, so that momentum is kept. One joint makes a
flexible part (a panel, a boom: its first mode, :math:`\sqrt{k/m_e}`); no stiffness about an axis makes a hinge; several
joints make a chain. Stiffness is chosen for the frequency of the part or, for a joint that should not give, well above
that of the contact; the step must follow. Limit: a joint turns by less than half a turn.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Part, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies.free_bodies import MeetingBodies
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.pair import BodyPair, MeetingPair, PairState
from dovetail.mechanics.bodies.rigid_body import BodyState, RigidBody
from dovetail.mechanics.spatial import Pose, Wrench, relative_twist, rotation


@kind("attached-body")
class AttachedBody(Part):
    """A body on another by a joint that gives; at rest their axes are parallel."""

    body: MassProperties
    place: jax.Array = parameter("m", "joint from the carrier's centre of mass, in its axes")
    arm: jax.Array = parameter("m", "joint from the body's centre of mass, in its axes")
    to: int = count("carrier: 0 the first body, 1 the second, 2 the first attached, ...", default=0)
    stiffness: jax.Array = parameter(
        "N/m", "along x, y, z [N/m] and about them [N m/rad]", default=(1e6,) * 3 + (1e5,) * 3, at_least=0.0
    )
    damping: jax.Array = parameter(
        "N s/m", "along x, y, z [N s/m] and about them [N m s]", default=(0.0,) * 6, at_least=0.0
    )

    def start(self, carrier: BodyState) -> BodyState:
        """The state in which it moves with its carrier, the joint unstrained."""
        pose = carrier.pose @ Pose(p=self.place - self.arm)
        return BodyState.at(pose, carrier.twist.at(pose.p - carrier.p))

    def strain(self, carrier: BodyState, own: BodyState) -> tuple[jax.Array, Pose, Pose]:
        """Displacement (6,) of the joint in the carrier's axes, and its two frames in W."""
        J, K = carrier.pose @ Pose(p=self.place), own.pose @ Pose(p=self.arm)
        apart = J.inverse() @ K
        return jnp.concatenate([apart.p, rotation.logarithm(apart.R)]), J, K

    def stored(self, carrier: BodyState, own: BodyState) -> jax.Array:
        """Elastic energy [J]."""
        return jnp.sum(self.stiffness * self.strain(carrier, own)[0] ** 2) / 2

    def wrenches(self, carrier: BodyState, own: BodyState) -> tuple[Wrench, Wrench]:
        """What acts on the carrier and on the body, in W about their centres of mass."""
        e, J, K = self.strain(carrier, own)
        seen = relative_twist(own.twist.at(K.p - own.p), carrier.twist, K.p - carrier.p).expressed(J.R.T)
        turned = J.R.T @ K.R

        def stored(phi):
            return (
                jnp.sum(self.stiffness[3:] * rotation.logarithm(rotation.exponential(phi) @ turned) ** 2) / 2
            )

        force = -self.stiffness[:3] * e[:3] - self.damping[:3] * seen.v
        moment = -jax.grad(stored)(jnp.zeros(3)) - self.damping[3:] * seen.w
        at_joint = Wrench(force, moment).expressed(J.R)
        return (-at_joint).at(carrier.p - K.p), at_joint.at(own.p - K.p)


class JoinedState(PairState):
    """States of the two bodies and of those attached."""

    attached: tuple[BodyState, ...] = ()

    @property
    def all(self) -> list[BodyState]:
        """Of every body, in the order in which carriers are counted."""
        return [self.first, self.second, *self.attached]


class JoinedPair(MeetingPair):
    """Two bodies that meet, and those attached to them."""

    attached: tuple[AttachedBody, ...] = ()

    def bodies(self, x):
        hung = zip(self.attached, x.attached, strict=True)
        return [*super().bodies(x), *((RigidBody(one.body, gravity=self.gravity), own) for one, own in hung)]

    def derivative(self, t, x, u, outer=None):
        states = x.all
        nothing = Wrench(jnp.zeros(3), jnp.zeros(3))
        loads = [*((nothing, nothing) if u is None else self.wrenches(x, u)), *[nothing] * len(self.attached)]
        loads[0] = loads[0] if outer is None else loads[0] + outer
        for i, one in enumerate(self.attached, start=2):
            on_carrier, on_body = one.wrenches(states[one.to], states[i])
            loads[one.to], loads[i] = loads[one.to] + on_carrier, loads[i] + on_body
        loads = loads if self.second is not None else [loads[0], *loads[2:]]
        rates = [body.rate(state, load) for (body, state), load in zip(self.bodies(x), loads, strict=True)]
        second = None if self.second is None else rates.pop(1)
        return JoinedState(rates[0], second, tuple(rates[1:]))

    def stored(self, x: JoinedState) -> jax.Array:
        """Elastic energy of all joints [J]."""
        pairs = ((one, x.all[one.to], own) for one, own in zip(self.attached, x.attached, strict=True))
        return sum((one.stored(carrier, own) for one, carrier, own in pairs), jnp.zeros(()))


@kind("joined-bodies")
class JoinedBodies(MeetingBodies):
    """Two free bodies that meet with a frame each, and others attached to them; six interface axes."""

    attached: tuple[AttachedBody, ...] = eqx.field(default=(), converter=tuple)

    def __check_init__(self):
        super().__check_init__()
        for i, one in enumerate(self.attached, start=2):
            if one.to >= i:
                raise ParameterError(
                    f"JoinedBodies.attached[{i - 2}].to: got {one.to}; a carrier comes before what hangs on it, so "
                    f"at most {i - 1} is right"
                )

    @property
    def pair(self) -> JoinedPair:
        two = self._meeting
        assert two.start is not None
        states = [two.start.first, two.start.second]
        for one in self.attached:
            states.append(one.start(states[one.to]))
        return self._with_attached(two, JoinedState(states[0], states[1], tuple(states[2:])))

    @property
    def _equations(self) -> JoinedPair:
        return self._with_attached(self._facing, None)

    def _with_attached(self, two: BodyPair, start: JoinedState | None) -> JoinedPair:
        return JoinedPair(two.first, two.second, two.X_CP, two.X_TD, start, two.gravity, self.attached)

    def output(self, t, x, u):
        return {**super().output(t, x, u), "elastic_energy": self._equations.stored(self._whole(t, x))}
