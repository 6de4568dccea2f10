r"""Spacecraft with several bodies or flexible parts: bodies attached to the docking pair by compliant joints.

Each attached body has a joint on its parent: the first body, the second body, or a body attached before. The joint has
springs and dampers along and about the three axes of the parent. Let e be the displacement of the joint frame K on
the body relative to the joint frame J on the parent, in the axes of J (three lengths and the rotation vector
:math:`\log R_{JK}`):

.. math:: U = \tfrac12\sum_i k_i e_i^2, \qquad f = -\frac{\partial U}{\partial e} - c\,\dot e

acts on the body at K, and the opposite on the parent at the same point, which conserves momentum. One joint represents
a flexible part (panel, boom: its first mode, :math:`\sqrt{k/m_e}`). Zero stiffness about an axis makes a hinge; several
joints make a chain. Choose the stiffness for the frequency of the part. For a rigid joint, choose a frequency well
above the contact frequency and a correspondingly small step. Limit: joint rotations below half a turn.
"""

from __future__ import annotations

from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, Part, State, Time, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies.free_bodies import ContactingBodies
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.pair import BodyPair, ContactingPair, PairState
from dovetail.mechanics.bodies.rigid_body import BodyState, RigidBody
from dovetail.mechanics.spatial import Pose, Wrench, relative_twist, rotation


@kind("attached-body")
class AttachedBody(Part):
    """Body attached to a parent by a compliant joint; the axes are parallel when the joint is unstrained."""

    body: MassProperties
    parent_point: Parameter = parameter("m", "joint from the parent's centre of mass, in the parent's axes")
    body_point: Parameter = parameter("m", "joint from the body's centre of mass, in the body's axes")
    parent: int = count("parent: 0 first body, 1 second body, 2 first attached body, ...", default=0)
    stiffness: Parameter = parameter(
        "N/m",
        "stiffness along x, y, z [N/m] and about them [N m/rad]",
        default=(1e6,) * 3 + (1e5,) * 3,
        at_least=0.0,
    )
    damping: Parameter = parameter(
        "N s/m", "damping along x, y, z [N s/m] and about them [N m s]", default=(0.0,) * 6, at_least=0.0
    )

    def start(self, carrier: BodyState) -> BodyState:
        """Return the state of rigid motion with the parent, the joint unstrained."""
        pose = carrier.pose @ Pose(p=self.parent_point - self.body_point)
        return BodyState.from_pose(pose, carrier.twist.shift(pose.p - carrier.p))

    def strain(self, carrier: BodyState, own: BodyState) -> tuple[jax.Array, Pose, Pose]:
        """Return the displacement (6,) of the joint in the parent's axes, and its two frames in W."""
        J, K = carrier.pose @ Pose(p=self.parent_point), own.pose @ Pose(p=self.body_point)
        apart = J.inverse() @ K
        return jnp.concatenate([apart.p, rotation.logarithm(apart.R)]), J, K

    def elastic_energy(self, carrier: BodyState, own: BodyState) -> jax.Array:
        """Return the elastic energy [J]."""
        return jnp.sum(self.stiffness * self.strain(carrier, own)[0] ** 2) / 2

    def wrenches(self, carrier: BodyState, own: BodyState) -> tuple[Wrench, Wrench]:
        """Return the wrenches on the parent and on the body, in W about their centres of mass."""
        e, J, K = self.strain(carrier, own)
        seen = relative_twist(own.twist.shift(K.p - own.p), carrier.twist, K.p - carrier.p).reexpress(J.R.T)
        turned = J.R.T @ K.R

        def energy(phi: jax.Array) -> jax.Array:
            return (
                jnp.sum(self.stiffness[3:] * rotation.logarithm(rotation.exponential(phi) @ turned) ** 2) / 2
            )

        force = -self.stiffness[:3] * e[:3] - self.damping[:3] * seen.v
        moment = -jax.grad(energy)(jnp.zeros(3)) - self.damping[3:] * seen.w
        at_joint = Wrench(force, moment).reexpress(J.R)
        return (-at_joint).shift(carrier.p - K.p), at_joint.shift(own.p - K.p)


class JoinedState(PairState):
    """States of the two bodies and of the attached bodies."""

    attached: tuple[BodyState, ...] = ()

    @property
    def all(self) -> list[BodyState]:
        """States of all bodies, in the order of parent numbers."""
        return [self.first, self.second, *self.attached]


class JoinedPair(ContactingPair):
    """Contact pair with attached bodies."""

    attached: tuple[AttachedBody, ...] = ()

    def bodies(self, x: Any) -> list[tuple[RigidBody, BodyState]]:
        hung = zip(self.attached, x.attached, strict=True)
        return [*super().bodies(x), *((RigidBody(one.body, gravity=self.gravity), own) for one, own in hung)]

    def derivative(self, t: Time, x: State, u: Input, outer: Wrench | None = None) -> State:
        states = x.all
        nothing = Wrench(jnp.zeros(3), jnp.zeros(3))
        loads = [*((nothing, nothing) if u is None else self.wrenches(x, u)), *[nothing] * len(self.attached)]
        loads[0] = loads[0] if outer is None else loads[0] + outer
        for i, one in enumerate(self.attached, start=2):
            on_carrier, on_body = one.wrenches(states[one.parent], states[i])
            loads[one.parent], loads[i] = loads[one.parent] + on_carrier, loads[i] + on_body
        loads = loads if self.second is not None else [loads[0], *loads[2:]]
        rates = [body.rate(state, load) for (body, state), load in zip(self.bodies(x), loads, strict=True)]
        second = None if self.second is None else rates.pop(1)
        return JoinedState(rates[0], second, tuple(rates[1:]))

    def elastic_energy(self, x: JoinedState) -> jax.Array:
        """Return the elastic energy of all joints [J]."""
        pairs = ((one, x.all[one.parent], own) for one, own in zip(self.attached, x.attached, strict=True))
        return sum((one.elastic_energy(carrier, own) for one, carrier, own in pairs), jnp.zeros(()))


@kind("joined-bodies")
class JoinedBodies(ContactingBodies):
    """Two free bodies in contact with further bodies attached to them; six interface axes."""

    attached: tuple[AttachedBody, ...] = eqx.field(default=(), converter=tuple)

    def __check_init__(self) -> None:
        super().__check_init__()
        for i, one in enumerate(self.attached, start=2):
            if one.parent >= i:
                raise ParameterError(
                    f"JoinedBodies.attached[{i - 2}].parent: got {one.parent}; must be at most {i - 1}, because "
                    "a parent is listed before the bodies attached to it"
                )

    @property
    def pair(self) -> JoinedPair:
        two = self._started_pair
        assert two.start is not None
        states = [two.start.first, two.start.second]
        for one in self.attached:
            states.append(one.start(states[one.parent]))
        return self._with_attached(two, JoinedState(states[0], states[1], tuple(states[2:])))

    @property
    def _equations(self) -> JoinedPair:
        return self._with_attached(self._pair_without_state, None)

    def _with_attached(self, two: BodyPair, start: JoinedState | None) -> JoinedPair:
        return JoinedPair(two.first, two.second, two.X_CP, two.X_TD, start, two.gravity, self.attached)

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {
            **super().output(t, x, u),
            "elastic_energy": self._equations.elastic_energy(cast(JoinedState, self._full_state(t, x))),
        }
