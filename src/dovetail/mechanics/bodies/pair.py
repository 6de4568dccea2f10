r"""Two free bodies that meet at one point of each: how one is seen from the other, and what they exchange.

The first body carries a frame P (the probe's tip), the second a frame D (the drogue's base). What crosses
the interface is the relative motion of P in D, expressed in D, and a wrench about the origin of D,
expressed in D: what a sensor table under D reads. On the first body it acts as it is, on the second with
the opposite sign; both are carried to the centres of mass:

.. math:: \tau_{C} = \tau_D + (p_D - p_C)\times f

The relative velocity is that of P less that of the point of the second body where P is: the transport term
of a turning second body is in it. Source: [Bondoky 2020, secs 6.3.2, 6.3.4 and 6.5.2.1].
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.rigid_body import BodyState, RigidBody
from dovetail.mechanics.spatial import Pose, Twist, Wrench, quaternion, relative_twist


class PairState(eqx.Module):
    """States of the two bodies."""

    first: BodyState
    second: BodyState


class BodyPair(Flow):
    """Two free bodies with a frame each, `X_CP` on the first and `X_TD` on the second.

    The input is the wrench on the first body, about the origin of D and in the axes of D, or None.
    """

    first: MassProperties
    second: MassProperties
    X_CP: Pose  # the first body's frame P, from its centre of mass C
    X_TD: Pose  # the second body's frame D, from its centre of mass T
    start: PairState | None = None  # None where only the equations are wanted

    @classmethod
    def meeting(
        cls,
        first: MassProperties,
        second: MassProperties,
        X_CP: Pose,
        X_TD: Pose,
        *,
        X_WD: Pose,
        X_DP: Pose,
        V_DP: Twist,
        V_WT: Twist | None = None,
    ) -> BodyPair:
        """The pair whose frames meet as asked: pose and twist of P in D, in D; D's place, T's twist in W."""
        X_WT = X_WD @ X_TD.inverse()
        target = BodyState.at(X_WT, V_WT)
        X_WP = X_WD @ X_DP
        carrier = target.twist.at(X_WP.p - target.p)
        relative = V_DP.expressed(X_WD.R)
        tip = Twist(relative.v + carrier.v, relative.w + carrier.w)
        X_WC = X_WP @ X_CP.inverse()
        chaser = BodyState.at(X_WC, tip.at(X_WC.p - X_WP.p))
        return cls(first, second, X_CP, X_TD, PairState(chaser, target))

    @property
    def bodies(self) -> tuple[RigidBody, RigidBody]:
        """The two as bodies of their own."""
        if self.start is None:
            return RigidBody(self.first), RigidBody(self.second)
        return RigidBody(self.first, self.start.first), RigidBody(self.second, self.start.second)

    def init(self) -> PairState:
        return self.start  # type: ignore[return-value]  # who begins it has given one

    def derivative(self, t, x: PairState, u: Wrench | None) -> PairState:
        one, two = self.bodies
        on_first, on_second = (None, None) if u is None else self.wrenches(x, u)
        return PairState(one.derivative(t, x.first, on_first), two.derivative(t, x.second, on_second))

    def output(self, t, x: PairState, u: Wrench | None) -> tuple[Pose, Twist]:
        """Pose of P in D, and its twist relative to D, in D."""
        return self.relative(x)

    def relative(self, x: PairState) -> tuple[Pose, Twist]:
        """Pose of P in D, and its twist relative to D, in D."""
        X_WP = x.first.pose @ self.X_CP
        X_WD = x.second.pose @ self.X_TD
        tip = x.first.twist.at(X_WP.p - x.first.p)
        seen = relative_twist(tip, x.second.twist, X_WP.p - x.second.p)
        return X_WD.inverse() @ X_WP, seen.expressed(X_WD.R.T)

    def wrenches(self, x: PairState, on_first_D: Wrench) -> tuple[Wrench, Wrench]:
        """What acts on each body, in W about its centre; opposite forces, and no net moment."""
        X_WD = x.second.pose @ self.X_TD
        at_D = on_first_D.expressed(X_WD.R)
        return at_D.at(x.first.p - X_WD.p), (-at_D).at(x.second.p - X_WD.p)

    def kinetic_energy(self, x: PairState) -> jax.Array:
        """Of both bodies [J]."""
        one, two = self.bodies
        return one.kinetic_energy(x.first) + two.kinetic_energy(x.second)

    def momentum(self, x: PairState) -> jax.Array:
        """Linear momentum of both, in W [N s]."""
        one, two = self.bodies
        return one.momentum(x.first) + two.momentum(x.second)

    def angular_momentum(self, x: PairState) -> jax.Array:
        """Angular momentum of both about the origin of W, in W [N m s]."""
        one, two = self.bodies
        return one.angular_momentum(x.first) + two.angular_momentum(x.second)

    def effective_mass(self, x: PairState, point_D: jax.Array, normal_D: jax.Array) -> jax.Array:
        r"""Mass [kg] that an impact at a point, along a normal, has to deal with.

        .. math:: \frac1{m_e} = \sum \frac1m + (r\times n)^{\mathsf T} I^{-1} (r\times n)
        """
        X_WD = x.second.pose @ self.X_TD
        point, normal = X_WD.point(point_D), X_WD.vector(normal_D)
        total = jnp.zeros(())
        for body, state in ((self.first, x.first), (self.second, x.second)):
            lever = quaternion.rotate(quaternion.conjugate(state.q), jnp.cross(point - state.p, normal))
            total = total + 1 / body.mass + lever @ body.inverse_inertia @ lever
        return 1 / total
