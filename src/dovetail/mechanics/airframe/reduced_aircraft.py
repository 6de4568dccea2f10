r"""An aircraft on a moving deck, reduced for batches: a rigid airframe on four sprung feet, free or held by a device.

The gear is condensed to what a foot feels. A leg turns about its hinge and has no mass; a foot that goes up by u goes
out by :math:`\kappa u`, and the moment about the hinge is that of the strut, which acts on the foot with
:math:`K = K_d(dL/dy)^2` and a damping likewise. So with a force H outwards on the foot the normal force is

.. math:: N = Ku + C\dot u - \kappa H

which stiffens such a gear against rolling some eightfold: what pushes it sideways also lifts it. Bending of the legs
is left out. The airframe is a `RigidBody` seen from the deck, whose motion comes from any source.

A foot is pushed up by its law (a spring and damper), never pulled, and rubs by its friction law. A device that holds
it is a spring and damper in the deck's plane and against lifting, from where the foot stands at rest; its load is
that force, with the preload of its clamps outwards. [Schock 2020, ch. 6] gives the numbers by default; the distance
of the feet along the skid and two moments of inertia are assumed.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Part, kind, parameter
from dovetail.mechanics.bodies import BodyState, MassProperties, RigidBody
from dovetail.mechanics.contact import KelvinVoigt, Meeting, NormalLaw, approach
from dovetail.mechanics.friction import Bristle, Friction
from dovetail.mechanics.motion import FrameMotion
from dovetail.mechanics.spatial import Carrier, Pose, Wrench, quaternion

FALLEN = 0.6  # [rad] tilt beyond which it will not come back
GONE = 1.0  # [m] way after which it is no more followed


class AirBody(Part):
    """What the air does to a body that is blown at."""

    @abstractmethod
    def wrench(
        self, velocity: jax.Array, turning: jax.Array, wind: jax.Array, density: jax.Array | float = 1.225
    ) -> Wrench:
        """Force [N] and moment [N m] about the body's origin; velocities [m/s], [rad/s] in the body's axes."""


class DeckFeel(NamedTuple):
    """What a spot of the deck feels, in the ship's axes."""

    carrier: Carrier
    wind: jax.Array  # (3,) [m/s] relative to the spot


def deck_feel(
    ship: FrameMotion, t: jax.Array, spot: jax.Array, wind: jax.Array, gravity: jax.Array | float = 9.81
) -> DeckFeel:
    """What a spot (3,) [m] of a ship feels at t, with the wind (3,) [m/s] of the frame of the mean ship."""
    return _feel(ship, jnp.asarray(t, float), spot, wind, gravity)


@eqx.filter_jit
def _feel(ship, t, spot, wind, gravity):  # traced once for all that asks for it
    state = ship.state(t)
    return DeckFeel(state.carrier(spot, gravity), state.pose.R.T @ (wind - state.velocity(spot)))


class Worst(NamedTuple):
    """Extremes of a run."""

    securing_load: jax.Array  # [N] largest of any foot
    foot_load: jax.Array  # [N] largest normal force
    way: jax.Array  # [m] of any foot from where it stood
    lift: jax.Array  # [m] of any foot off the deck
    tilt: jax.Array  # [rad] from the deck's normal


@kind("sprung-aircraft")
class SprungAircraft(Part):
    """The reduced aircraft. Feet are given in axes forward, port, up from the centre of gravity."""

    airframe: MassProperties = MassProperties(50.2383, (6.25, 12.0, 12.0))
    feet: jax.Array = parameter(
        "m",
        "undeformed",
        default=((0.4, 0.35, -0.44), (0.4, -0.35, -0.44), (-0.4, 0.35, -0.44), (-0.4, -0.35, -0.44)),
    )
    law: NormalLaw = KelvinVoigt(6675.0, damping=133.5)
    splay: jax.Array = parameter("1", "way of a foot out, over its way up", default=0.9955, at_least=0.0)
    radius: jax.Array = parameter("m", "of the skid tube", default=0.01, at_least=0.0)
    friction: Friction = Bristle(stiffness=3e3, sliding=0.4, stiction=0.9, damping=600.0, stribeck=1e-3)
    plates: AirBody | None = None
    density: jax.Array = parameter("kg/m^3", "of the air", default=1.225, at_least=0.0)
    secured: jax.Array = parameter(
        "1", "1: held by the device, 0: free", default=1.0, at_least=0.0, at_most=1.0
    )
    hold_stiffness: jax.Array = parameter("N/m", "of the device at a foot", default=1e5, above=0.0)
    hold_damping: jax.Array = parameter("N s/m", "of the device at a foot", default=500.0, at_least=0.0)
    preload: jax.Array = parameter("N", "of a clamp, outwards", default=40.0, at_least=0.0)
    gravity: jax.Array = parameter("m/s^2", "with which it settles at the start", default=9.81)

    def init(self) -> dict[str, Any]:
        """At rest on a still deck."""
        height = self.radius - self.feet[0, 2] - self.sag
        return {
            "body": BodyState.at(Pose(p=jnp.zeros(3).at[2].set(height))),
            **self.meeting.init(*self.feet.shape),
        }

    @property
    def meeting(self) -> Meeting:
        """The laws between feet and deck."""
        return Meeting(self.law, self.friction)

    @property
    def sag(self) -> jax.Array:
        """How far a foot goes up when it stands [m]."""
        return self.law.resting_depth(self.airframe.mass * self.gravity / self.feet.shape[0])

    def standing(self) -> jax.Array:
        """Feet from the centre of gravity when it stands level, (feet, 3) [m]."""
        side = jnp.sign(self.feet[:, 1])
        return self.feet + self.sag * jnp.stack([0 * side, self.splay * side, jnp.ones_like(side)], 1)

    def _home(self) -> jax.Array:
        """Feet when it stands, (feet, 3) [m] in the deck's axes."""
        return self.init()["body"].p + self.standing()

    def _seen(self, body: BodyState, turning: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Attitude (3, 3) over the deck, and spin against it in the body's axes."""
        C = quaternion.to_matrix(body.q)
        return C, body.w - C.T @ turning

    def forces(self, x: dict[str, Any], feel: DeckFeel) -> dict[str, Any]:
        """At the feet, (feet, ...) in the deck's axes: contact, device's force, total, place."""
        body = x["body"]
        C, relative = self._seen(body, feel.carrier.turning)
        place = body.p + self.feet @ C.T
        speed = body.v + jnp.cross(relative, self.feet) @ C.T
        out = jnp.sign(self.feet[:, 1])[:, None] * C[:, 1]
        normal = jnp.array([0.0, 0.0, 1.0])
        near = approach(place[:, 2] - self.radius, normal, speed)
        on = near.depth > 0
        up, pace_up = jnp.where(on, near.depth, 0.0), jnp.where(on, near.speed, 0.0)
        way = self.splay * out + normal
        place, speed = place + up[:, None] * way, speed + pace_up[:, None] * way
        off = place - self._home()
        off = off.at[:, 2].set(jnp.maximum(off[:, 2], 0.0))
        pace = speed.at[:, 2].multiply(off[:, 2] > 0)
        hold = -self.secured * (self.hold_stiffness * off + self.hold_damping * pace)
        hold = hold.at[:, 2].set(jnp.minimum(hold[:, 2], 0.0))  # a wedge holds down and never lifts
        near = near._replace(slip=speed.at[:, 2].set(0.0))
        began = self.meeting.latch.impact_speed(x["impact_speed"], pace_up)
        spring = self.law.push(up, pace_up, began) - self.splay * jnp.sum(hold * out, 1)
        # the normal force with which it would slide along its bristle; whether it does is then the same at the true one
        share = self.friction.share(near.slip, x["bristle"])
        lean = jnp.maximum(1.0 + self.splay * jnp.sum(share * out, 1), 0.05)
        met = self.meeting.pressed(x, near, normal, jnp.maximum(spring / lean, 0.0) * on)
        rub = met.force.at[:, 2].set(0.0)
        borne = jnp.maximum(spring - self.splay * jnp.sum(rub * out, 1), 0.0) * on
        met = dataclasses.replace(met, normal_force=borne)
        return {"met": met, "hold": hold, "total": (rub + hold).at[:, 2].add(borne), "place": place}

    def rate(self, x: dict[str, Any], feel: DeckFeel) -> dict[str, Any]:
        """Rates of the state."""
        body, acts = x["body"], self.forces(x, feel)
        moments = jnp.cross(acts["place"] - body.p, acts["total"])
        load = Wrench(jnp.sum(acts["total"], 0), jnp.sum(moments, 0))
        if self.plates is not None:
            C, relative = self._seen(body, feel.carrier.turning)
            drag = self.plates.wrench(C.T @ body.v, relative, C.T @ feel.wind, self.density)
            load = load + drag.expressed(C)
        return {"body": RigidBody(self.airframe).rate(body, load, feel.carrier), **acts["met"].rate}

    def step(self, x: dict[str, Any], before: DeckFeel, after: DeckFeel, h: jax.Array) -> dict[str, Any]:
        """One step of Runge and Kutta's; the deck is straight between its two ends."""
        middle = jax.tree.map(lambda a, b: 0.5 * (a + b), before, after)
        feel = {0.0: before, 0.5: middle, 1.0: after}
        new = RK4.tableau.step(lambda share, at: self.rate(at, feel[share]), x, h)
        return new | self.meeting.after(new, self.forces(new, after)["met"])

    def seen(self, x: dict[str, Any], feel: DeckFeel) -> Worst:
        """What counts, at a moment."""
        acts = self.forces(x, feel)
        out = jnp.sign(self.feet[:, 1:2]) * jnp.array([0.0, 1.0, 0.0]) * self.preload * self.secured
        off = acts["place"] - self._home()
        up = quaternion.to_matrix(x["body"].q)[2, 2]
        return Worst(
            jnp.max(jnp.sqrt(jnp.sum((out - acts["hold"]) ** 2, 1))),
            jnp.max(acts["met"].normal_force),
            jnp.max(jnp.sqrt(off[:, 0] ** 2 + off[:, 1] ** 2)),
            jnp.max(acts["place"][:, 2] - self.radius),
            jnp.arccos(jnp.clip(up, -1.0, 1.0)),
        )

    def run(self, feel: DeckFeel, spacing: float, substeps: int) -> tuple[Worst, dict[str, jax.Array]]:
        """Through a record of the deck (n, 3), `spacing` [s] apart: the worst, and time series of position and tilt.

        An aircraft that has fallen or gone is no more moved, so that its numbers stay finite.
        """
        h = spacing / substeps
        first = jax.tree.map(lambda a: a[0], feel)

        def one(carry, ends):
            x, worst = carry
            start, stop = ends

            def sub(i, carry):
                x, worst = carry

                def at(share):
                    return jax.tree.map(lambda a, b: a + share * (b - a), start, stop)

                before, after = at(i / substeps), at((i + 1) / substeps)
                going = (worst.tilt < FALLEN) & (worst.way < GONE)
                new = self.step(x, before, after, h)
                x = jax.tree.map(lambda a, b: jnp.where(going, a, b), new, x)
                return x, jax.tree.map(jnp.maximum, worst, self.seen(x, after))

            x, worst = jax.lax.fori_loop(0, substeps, sub, (x, worst))
            return (x, worst), {"position": x["body"].p, "attitude": x["body"].q}

        x = self.init()
        ends = jax.tree.map(lambda a: a[:-1], feel), jax.tree.map(lambda a: a[1:], feel)
        (x, worst), trace = jax.lax.scan(one, (x, self.seen(x, first)), ends)
        return worst, trace
