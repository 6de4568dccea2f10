r"""Pair of free bodies in contact at one point of each: relative motion and contact wrench.

The first body has a frame P (probe tip), the second a frame D (drogue base). The interface quantities are
the relative motion of P in D, expressed in D, and a wrench about the origin of D,
expressed in D, as measured by a sensor table under D. The wrench acts on the first body, and with
opposite sign on the second. Both are shifted to the centres of mass:

.. math:: \tau_{C} = \tau_D + (p_D - p_C)\times f

The relative velocity is the velocity of P minus that of the coincident point of the second body, so it includes the
transport term of a rotating second body. The second body can have a prescribed motion (`second` is None): forces on
it have no effect, and the caller inserts its state.
Source: [Bondoky 2020, secs 6.3.2, 6.3.4 and 6.5.2.1].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, Input, State, Time
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.bodies.rigid_body import BodyState, RigidBody
from dovetail.mechanics.spatial import Pose, Twist, Wrench, relative_twist


class PairState(eqx.Module):
    """States of the two bodies."""

    first: BodyState
    second: Any  # `BodyState`; None if the motion of the second body is prescribed


class ContactingPair(Flow):
    """Two bodies in contact with the frames `X_CP` on the first and `X_TD` on the second; base class.

    The input is the wrench on the first body, about the origin of D and in the axes of D, or None.
    """

    first: MassProperties
    second: MassProperties | None  # None: prescribed motion
    X_CP: Pose  # frame P of the first body, relative to its centre of mass C
    X_TD: Pose  # frame D of the second body, relative to its centre of mass T
    start: PairState | None = None  # initial state; None if only the equations are needed
    gravity: jax.Array | None = None  # (3,) [m/s^2] in W

    def bodies(self, x: PairState) -> list[tuple[RigidBody, BodyState]]:
        """Return the free bodies with their states: the first body, and the second if it is free."""
        free = [(self.first, x.first), *([] if self.second is None else [(self.second, x.second)])]
        return [(RigidBody(body, gravity=self.gravity), state) for body, state in free]

    def init(self) -> PairState:
        return self.start  # type: ignore[return-value]  # set by the caller of `init`

    @abstractmethod
    def derivative(self, t: Time, x: PairState, u: Wrench | None, outer: Wrench | None = None) -> PairState:
        """Return the rates; `outer` is a further wrench on the first body, in W about its centre."""

    def output(self, t: Time, x: PairState, u: Wrench | None) -> tuple[Pose, Twist]:
        """Return the pose of P in D and its twist relative to D, in D."""
        return self.relative(x)

    def relative(self, x: PairState) -> tuple[Pose, Twist]:
        """Return the pose of P in D and its twist relative to D, in D."""
        X_WP = x.first.pose @ self.X_CP
        X_WD = x.second.pose @ self.X_TD
        tip = x.first.twist.shift(X_WP.p - x.first.p)
        seen = relative_twist(tip, x.second.twist, X_WP.p - x.second.p)
        return X_WD.inverse() @ X_WP, seen.reexpress(X_WD.R.T)

    def wrenches(self, x: PairState, on_first_D: Wrench) -> tuple[Wrench, Wrench]:
        """Return the wrench on each body, in W about its centre; forces are opposite, the net moment is zero."""
        X_WD = x.second.pose @ self.X_TD
        at_D = on_first_D.reexpress(X_WD.R)
        return at_D.shift(x.first.p - X_WD.p), (-at_D).shift(x.second.p - X_WD.p)

    def kinetic_energy(self, x: PairState) -> jax.Array:
        """Return the kinetic energy of all free bodies [J]."""
        return sum((body.kinetic_energy(state) for body, state in self.bodies(x)), jnp.zeros(()))

    def momentum(self, x: PairState) -> jax.Array:
        """Return the linear momentum of all free bodies, in W [N s]."""
        return sum((body.momentum(state) for body, state in self.bodies(x)), jnp.zeros(3))

    def angular_momentum(self, x: PairState) -> jax.Array:
        """Return the angular momentum of all free bodies about the origin of W, in W [N m s]."""
        return sum((body.angular_momentum(state) for body, state in self.bodies(x)), jnp.zeros(3))


class BodyPair(ContactingPair):
    """Contact pair without further bodies."""

    @classmethod
    def from_interface_motion(
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
        """Return the pair for an initial pose and twist of P in D (in D), pose of D and twist of T (in W)."""
        X_WT = X_WD @ X_TD.inverse()
        target = BodyState.from_pose(X_WT, V_WT)
        X_WP = X_WD @ X_DP
        carrier = target.twist.shift(X_WP.p - target.p)
        relative = V_DP.reexpress(X_WD.R)
        tip = Twist(relative.v + carrier.v, relative.w + carrier.w)
        X_WC = X_WP @ X_CP.inverse()
        chaser = BodyState.from_pose(X_WC, tip.shift(X_WC.p - X_WP.p))
        return cls(first, second, X_CP, X_TD, PairState(chaser, target), gravity)

    def derivative(self, t: Time, x: State, u: Input, outer: Wrench | None = None) -> State:
        loads: list[Wrench | None] = [None, None] if u is None else [*self.wrenches(x, u)]
        if outer is not None:
            loads[0] = outer if loads[0] is None else loads[0] + outer
        rates = [body.rate(state, load) for (body, state), load in zip(self.bodies(x), loads, strict=False)]
        return PairState(rates[0], rates[1] if self.second is not None else None)
