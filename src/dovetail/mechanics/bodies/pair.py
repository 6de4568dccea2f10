r"""Two free bodies that meet at one point of each: how one is seen from the other, and what they exchange.

The first body carries a frame P (the probe's tip), the second a frame D (the drogue's base). What crosses
the interface is the relative motion of P in D, expressed in D, and a wrench about the origin of D,
expressed in D: what a sensor table under D reads. On the first body it acts as it is, on the second with
the opposite sign; both are carried to the centres of mass:

.. math:: \tau_{C} = \tau_D + (p_D - p_C)\times f

The relative velocity is that of P less that of the point of the second body where P is: the transport term
of a turning second body is in it. The second body may be one that moves as it is told (its `second` is None): then
nothing that acts on it counts, and its state is put in by who knows the time.
Source: [Bondoky 2020, secs 6.3.2, 6.3.4 and 6.5.2.1].
"""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.rigid_body import BodyState, RigidBody
from dovetail.mechanics.spatial import Pose, Twist, Wrench, relative_twist


class PairState(eqx.Module):
    """States of the two bodies."""

    first: BodyState
    second: BodyState  # None in the state of a test whose second body is told how to move


class MeetingPair(Flow):
    """Two bodies with a frame each, `X_CP` on the first and `X_TD` on the second, whatever else hangs on them.

    The input is the wrench on the first body, about the origin of D and in the axes of D, or None.
    """

    first: MassProperties
    second: MassProperties | None  # None: it is told how to move
    X_CP: Pose  # the first body's frame P, from its centre of mass C
    X_TD: Pose  # the second body's frame D, from its centre of mass T
    start: PairState | None = None  # None where only the equations are wanted
    gravity: jax.Array | None = None  # (3,) [m/s^2] in W

    def bodies(self, x: PairState) -> list[tuple[RigidBody, BodyState]]:
        """Those that move freely, with their states: the first, and the second where it is free."""
        free = [(self.first, x.first), *([] if self.second is None else [(self.second, x.second)])]
        return [(RigidBody(body, gravity=self.gravity), state) for body, state in free]

    def init(self) -> PairState:
        return self.start  # type: ignore[return-value]  # who begins it has given one

    @abstractmethod
    def derivative(self, t, x: PairState, u: Wrench | None, outer: Wrench | None = None) -> PairState:
        """Rates; `outer` is what else acts on the first body, in W about its centre."""

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
        """Of all free bodies [J]."""
        return sum((body.kinetic_energy(state) for body, state in self.bodies(x)), jnp.zeros(()))

    def momentum(self, x: PairState) -> jax.Array:
        """Linear momentum of all free bodies, in W [N s]."""
        return sum((body.momentum(state) for body, state in self.bodies(x)), jnp.zeros(3))

    def angular_momentum(self, x: PairState) -> jax.Array:
        """Angular momentum of all free bodies about the origin of W, in W [N m s]."""
        return sum((body.angular_momentum(state) for body, state in self.bodies(x)), jnp.zeros(3))


class BodyPair(MeetingPair):
    """Two bodies and nothing else."""

    @classmethod
    def meeting(
        cls,
        first: MassProperties,
        second: MassProperties | None,
        X_CP: Pose,
        X_TD: Pose,
        *,
        X_WD: Pose,
        X_DP: Pose,
        V_DP: Twist,
        V_WT: Twist | None = None,
        gravity: jax.Array | None = None,
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
        return cls(first, second, X_CP, X_TD, PairState(chaser, target), gravity)

    def derivative(self, t, x, u, outer=None):
        loads: list[Wrench | None] = [None, None] if u is None else [*self.wrenches(x, u)]
        if outer is not None:
            loads[0] = outer if loads[0] is None else loads[0] + outer
        rates = [body.rate(state, load) for (body, state), load in zip(self.bodies(x), loads, strict=False)]
        return PairState(rates[0], rates[1] if self.second is not None else None)
