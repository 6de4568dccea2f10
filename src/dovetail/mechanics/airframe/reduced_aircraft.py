r"""Reduced aircraft model for batches: rigid airframe on four sprung feet on a moving deck, free or secured.

The gear is condensed to its stiffness at the feet. A leg is massless and rotates about its hinge: a foot that rises
by u moves outwards by :math:`\kappa u`. The strut gives the moment about the hinge; it acts on the foot with
:math:`K = K_d(dL/dy)^2` and a corresponding damping. With an outward force H on the foot the normal force is

.. math:: N = Ku + C\dot u - \kappa H

This coupling makes the gear about eight times stiffer in roll, because a lateral force also lifts the foot. Bending
of the legs is neglected. The airframe is a `RigidBody` in the moving frame of the deck; any source of ship motion
can be used.

The contact law (spring and damper) pushes a foot up and never pulls; the friction law acts in the deck plane. The
securing device is a spring and damper in the deck plane and against lifting, from the standing position of the foot.
Its load is that force plus the outward preload of the clamps. The default numbers are from [Schock 2020, ch. 6]; the
distance of the feet along the skid and two moments of inertia are assumed.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Flow, Method, Parameter, Part, count, kind, parameter
from dovetail.core.advance import run_samples
from dovetail.core.block import Input, Output, State, Time, repeat
from dovetail.core.flow_adapters import LinearInput
from dovetail.core.keep import Rows
from dovetail.core.system import Signals, System
from dovetail.mechanics.bodies import BodyState, MassProperties, RigidBody
from dovetail.mechanics.contact import KelvinVoigt, NormalLaw, SurfaceContact, contact_kinematics
from dovetail.mechanics.friction import Bristle, Friction
from dovetail.mechanics.motion import FrameMotion
from dovetail.mechanics.spatial import MovingFrame, Pose, Wrench, quaternion

MAX_TILT = 0.6  # [rad] tilt beyond which the simulation of the aircraft stops
MAX_SLIP = 1.0  # [m] slip beyond which the simulation of the aircraft stops


class AirBody(Part):
    """Aerodynamic load on a body in wind."""

    @abstractmethod
    def wrench(
        self, velocity: jax.Array, turning: jax.Array, wind: jax.Array, density: jax.Array | float = 1.225
    ) -> Wrench:
        """Return force [N] and moment [N m] about the body's origin; velocities [m/s], [rad/s] in the body's axes."""


class DeckMotion(NamedTuple):
    """Motion and relative wind of a point of the deck, in the ship's axes."""

    moving_frame: MovingFrame
    wind: jax.Array  # (3,) [m/s] relative to the point


def deck_motion(
    ship: FrameMotion, t: jax.Array, spot: jax.Array, wind: jax.Array, gravity: jax.Array | float = 9.81
) -> DeckMotion:
    """Return motion and wind at a point (3,) [m] of a ship at time t; `wind` (3,) [m/s] is in the mean ship frame."""
    return _deck_motion(ship, jnp.asarray(t, float), spot, wind, gravity)


@eqx.filter_jit
def _deck_motion(
    ship: FrameMotion, t: jax.Array, spot: jax.Array, wind: jax.Array, gravity: jax.Array | float
) -> DeckMotion:  # traced once for all callers
    state = ship.state(t)
    return DeckMotion(state.moving_frame(spot, gravity), state.pose.R.T @ (wind - state.velocity(spot)))


class Extremes(NamedTuple):
    """Extremes of a run."""

    securing_load: jax.Array  # [N] largest device load of a foot
    foot_load: jax.Array  # [N] largest normal force
    slip: jax.Array  # [m] largest slip of a foot from its initial position
    lift: jax.Array  # [m] largest height of a foot above the deck
    tilt: jax.Array  # [rad] largest tilt from the deck normal


@kind("reduced-aircraft")
class ReducedAircraft(Part):
    """Reduced aircraft with four sprung feet; axes are forward, port, up from the centre of gravity."""

    airframe: MassProperties = MassProperties(50.2383, (6.25, 12.0, 12.0))
    feet: Parameter = parameter(
        "m",
        "undeformed positions of the feet",
        default=((0.4, 0.35, -0.44), (0.4, -0.35, -0.44), (-0.4, 0.35, -0.44), (-0.4, -0.35, -0.44)),
    )
    law: NormalLaw = KelvinVoigt(6675.0, damping=133.5)
    splay: Parameter = parameter(
        "1", "outward displacement of a foot per upward displacement", default=0.9955, at_least=0.0
    )
    radius: Parameter = parameter("m", "radius of the skid tube", default=0.01, at_least=0.0)
    friction: Friction = Bristle(
        stiffness=3e3, mu_kinetic=0.4, mu_static=0.9, damping=600.0, stribeck_speed=1e-3
    )
    plates: AirBody | None = None
    density: Parameter = parameter("kg/m^3", "air density", default=1.225, at_least=0.0)
    secured: Parameter = parameter(
        "1", "1: secured by the device, 0: free", default=1.0, at_least=0.0, at_most=1.0
    )
    clamp_stiffness: Parameter = parameter(
        "N/m", "stiffness of the device at each foot", default=1e5, above=0.0
    )
    clamp_damping: Parameter = parameter(
        "N s/m", "damping of the device at each foot", default=500.0, at_least=0.0
    )
    preload: Parameter = parameter("N", "outward preload of a clamp", default=40.0, at_least=0.0)
    gravity: Parameter = parameter("m/s^2", "gravity of the initial equilibrium", default=9.81)

    def init(self) -> dict[str, Any]:
        """Return the state at rest on a fixed deck."""
        height = self.radius - self.feet[0, 2] - self.sag
        return {
            "body": BodyState.from_pose(Pose(p=jnp.zeros(3).at[2].set(height))),
            **self.surface_contact.init(*self.feet.shape),
        }

    @property
    def surface_contact(self) -> SurfaceContact:
        """Contact and friction laws between feet and deck."""
        return SurfaceContact(self.law, self.friction)

    @property
    def sag(self) -> jax.Array:
        """Upward deflection of a foot in the standing equilibrium [m]."""
        return self.law.resting_depth(self.airframe.mass * self.gravity / self.feet.shape[0])

    def standing(self) -> jax.Array:
        """Return the feet relative to the centre of gravity, standing level, (feet, 3) [m]."""
        side = jnp.sign(self.feet[:, 1])
        return self.feet + self.sag * jnp.stack([0 * side, self.splay * side, jnp.ones_like(side)], 1)

    def _home(self) -> jax.Array:
        """Return the standing positions of the feet, (feet, 3) [m] in the deck's axes."""
        feet: jax.Array = self.init()["body"].p + self.standing()
        return feet

    def _relative_to_deck(self, body: BodyState, turning: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the attitude (3, 3) and the angular velocity in body axes, both relative to the deck."""
        C = quaternion.to_matrix(body.q)
        return C, body.w - C.T @ turning

    def forces(self, x: dict[str, Any], deck: DeckMotion) -> dict[str, Any]:
        """Return contact, device force, total force and position at the feet, (feet, ...), in the deck's axes."""
        body = x["body"]
        C, relative = self._relative_to_deck(body, deck.moving_frame.angular_velocity)
        place = body.p + self.feet @ C.T
        speed = body.v + jnp.cross(relative, self.feet) @ C.T
        out = jnp.sign(self.feet[:, 1])[:, None] * C[:, 1]
        normal = jnp.array([0.0, 0.0, 1.0])
        near = contact_kinematics(place[:, 2] - self.radius, normal, speed)
        on = near.depth > 0
        up, pace_up = jnp.where(on, near.depth, 0.0), jnp.where(on, near.speed, 0.0)
        way = self.splay * out + normal
        place, speed = place + up[:, None] * way, speed + pace_up[:, None] * way
        off = place - self._home()
        off = off.at[:, 2].set(jnp.maximum(off[:, 2], 0.0))
        pace = speed.at[:, 2].multiply(off[:, 2] > 0)
        hold = -self.secured * (self.clamp_stiffness * off + self.clamp_damping * pace)
        hold = hold.at[:, 2].set(jnp.minimum(hold[:, 2], 0.0))  # the clamp pulls down and never lifts
        near = near._replace(slip=speed.at[:, 2].set(0.0))
        began = self.surface_contact.impact_speed_memory.impact_speed(x["impact_speed"], pace_up)
        spring = self.law.push(up, pace_up, began) - self.splay * jnp.sum(hold * out, 1)
        # normal force for sliding along the bristle; the stick-slip state is the same at the true normal force
        share = self.friction.force_ratio(near.slip, x["bristle"])
        lean = jnp.maximum(1.0 + self.splay * jnp.sum(share * out, 1), 0.05)
        met = self.surface_contact.with_normal_force(x, near, normal, jnp.maximum(spring / lean, 0.0) * on)
        rub = met.force.at[:, 2].set(0.0)
        borne = jnp.maximum(spring - self.splay * jnp.sum(rub * out, 1), 0.0) * on
        met = dataclasses.replace(met, normal_force=borne)
        return {"met": met, "hold": hold, "total": (rub + hold).at[:, 2].add(borne), "place": place}

    def rate(self, x: dict[str, Any], deck: DeckMotion) -> dict[str, Any]:
        """Return the rates of the state."""
        body, acts = x["body"], self.forces(x, deck)
        moments = jnp.cross(acts["place"] - body.p, acts["total"])
        load = Wrench(jnp.sum(acts["total"], 0), jnp.sum(moments, 0))
        if self.plates is not None:
            C, relative = self._relative_to_deck(body, deck.moving_frame.angular_velocity)
            drag = self.plates.wrench(C.T @ body.v, relative, C.T @ deck.wind, self.density)
            load = load + drag.reexpress(C)
        return {"body": RigidBody(self.airframe).rate(body, load, deck.moving_frame), **acts["met"].rate}

    def extremes(self, x: dict[str, Any], deck: DeckMotion) -> Extremes:
        """Return the current values of the monitored quantities."""
        acts = self.forces(x, deck)
        out = jnp.sign(self.feet[:, 1:2]) * jnp.array([0.0, 1.0, 0.0]) * self.preload * self.secured
        off = acts["place"] - self._home()
        up = quaternion.to_matrix(x["body"].q)[2, 2]
        return Extremes(
            jnp.max(jnp.sqrt(jnp.sum((out - acts["hold"]) ** 2, 1))),
            jnp.max(acts["met"].normal_force),
            jnp.max(jnp.sqrt(off[:, 0] ** 2 + off[:, 1] ** 2)),
            jnp.max(acts["place"][:, 2] - self.radius),
            jnp.arccos(jnp.clip(up, -1.0, 1.0)),
        )

    def run(
        self, deck: DeckMotion, sample_time: float, substeps: int
    ) -> tuple[Extremes, dict[str, jax.Array]]:
        """Return extremes and signals of `AircraftOnDeck` for a deck record (n, 3), `sample_time` [s] apart."""
        number = jax.tree.leaves(deck)[0].shape[0] - 1
        now, trace = run_samples(AircraftOnDeck(OnDeck(self), deck, substeps), sample_time, number, Rows())
        return now.x[-1], trace


class OnDeck(Flow):
    """Reduced aircraft as a flow with the deck motion as input. Its events are touch and stick-slip of the feet."""

    aircraft: ReducedAircraft

    def init(self) -> State:
        return self.aircraft.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.aircraft.rate(x, u)

    def output(self, t: Time, x: State, u: Input) -> Output:
        load = self.aircraft.forces(x, u)["met"].normal_force
        return {"position": x["body"].p, "attitude": x["body"].q, "foot_load": load}

    def jump(self, t: Time, x: State, u: Input) -> State:
        return x | self.aircraft.surface_contact.update_memory(x, self.aircraft.forces(x, u)["met"])

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.aircraft.surface_contact.guards(self.aircraft.forces(x, u)["met"])


class AircraftOnDeck(System):
    """Reduced aircraft on a deck whose motion is recorded at every sample, and linear in time between.

    Integration stops beyond `MAX_TILT` or `MAX_SLIP`, so that the numbers stay finite.
    """

    flow: OnDeck
    deck: DeckMotion  # (samples + 1, 3)
    substeps: int = count("integration steps per sample", default=10, at_least=1)
    method: Method = RK4()

    def start(self) -> tuple[tuple[Any, Any, Extremes], dict[str, Any]]:
        x, deck = self.flow.init(), self._deck(0)
        extremes = self.flow.aircraft.extremes(x, deck)
        return (x, self.method.init(self.flow, x), extremes), self.flow.output(0.0, x, deck)

    def step(self, t: Time, h: Time, x: State) -> tuple[State, Signals]:
        k = jnp.round(t / h).astype(int)
        now, part = LinearInput(self.flow, t, h, self._deck(k), self._deck(k + 1)), h / self.substeps

        def advance(state: Any, i: Any) -> Any:
            x, memory, worst = state
            going = (worst.tilt < MAX_TILT) & (worst.slip < MAX_SLIP)
            new = self.method.advance(now, t + i * part, part, x, None, memory)
            x, memory = jax.tree.map(lambda a, b: jnp.where(going, a, b), new, (x, memory))
            extremes = self.flow.aircraft.extremes(x, now.input(t + (i + 1) * part, None))
            return x, memory, jax.tree.map(jnp.maximum, worst, extremes)

        x = repeat(advance, x, self.substeps)
        return x, now.output(t + h, x[0], None)

    def _deck(self, k: jax.Array | int) -> DeckMotion:
        sample: DeckMotion = jax.tree.map(lambda a: a[k], self.deck)
        return sample
