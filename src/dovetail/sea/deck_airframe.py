r"""An airframe over a moving deck as the numerical substructure of a six-axis test; its gear is the specimen.

What crosses the interface is the motion of the airframe's centre of gravity relative to the deck, counted from the
start: three lengths in the axes of the deck and roll, pitch, yaw. The force that comes back is the gear's force and its
moment about the centre of gravity, both in the axes of the deck. Ship, sea and wind are simulated: the rig need not
move a deck, it moves the gear against a plate as the airframe moves against the deck. The equations are those of
`DeckBody`.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import RK4, kind, parameter
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.spatial import euler, quaternion
from dovetail.sea.deck_body import DeckBody, DeckFeel, deck_feel
from dovetail.sea.harmonic import HarmonicDeck
from dovetail.sea.motion import DeckMotion

STILL = HarmonicDeck(amplitude=(0.0,) * 6, omega=1.0)


@kind("deck-airframe")
class DeckAirframe(Substructure):
    """The rigid part of `body`, without its gear, over a deck that moves as prescribed."""

    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    ideal: ClassVar[dict] = {"method": RK4(), "substeps": 2}

    body: DeckBody = DeckBody()
    deck: DeckMotion = STILL
    spot: jax.Array = parameter("m", "landing spot in the ship's axes", default=(0.0, 0.0, 0.0))
    wind: jax.Array = parameter("m/s", "in the frame of the mean ship", default=(0.0, 0.0, 0.0))
    height: jax.Array = parameter("m", "of the start over standing on the deck", default=0.0)
    velocity: jax.Array = parameter("m/s", "relative to the deck at the start", default=(0.0, 0.0, 0.0))

    def home(self) -> jax.Array:
        """Position over the deck at the start (3,) [m]."""
        return self.body.init()["position"] + self.height * jnp.array([0.0, 0.0, 1.0])

    def init(self):
        turning = self._feel(0.0).turning
        return {
            "position": self.home(),
            "attitude": jnp.array([1.0, 0.0, 0.0, 0.0]),
            "velocity": jnp.asarray(self.velocity, float),
            "turning": turning,
        }

    def _feel(self, t) -> DeckFeel:
        return deck_feel(self.deck, jnp.asarray(t, float), self.spot, self.wind, self.body.gravity)

    def derivative(self, t, x, u):
        feel, body = self._feel(t), self.body
        force = jnp.broadcast_to(jnp.asarray(u["force"], float), (6,))
        C = quaternion.to_matrix(x["attitude"])
        relative = x["turning"] - C.T @ feel.turning
        drag = body.plates.wrench(C.T @ x["velocity"], relative, C.T @ feel.wind, body.density)
        p, v, w, own = x["position"], x["velocity"], feel.turning, x["turning"]
        carried = jnp.cross(feel.turning_rate, p) + 2 * jnp.cross(w, v) + jnp.cross(w, jnp.cross(w, p))
        moment = C.T @ force[3:] + drag.tau
        return {
            "position": v,
            "attitude": quaternion.rate(x["attitude"], relative),
            "velocity": (force[:3] + C @ drag.f) / body.mass - feel.felt - carried,
            "turning": (moment - jnp.cross(own, body.inertia * own)) / body.inertia,
        }

    def _shown(self, t, x):
        C = quaternion.to_matrix(x["attitude"])
        angles = euler.from_matrix(C)
        relative = x["turning"] - C.T @ self._feel(t).turning
        rates = euler.rates(angles, relative)
        return jnp.concatenate([x["position"] - self.home(), angles]), jnp.concatenate([x["velocity"], rates])

    def output(self, t, x, u):
        t = jnp.asarray(t, float)
        (motion, speed), (_, acceleration) = jax.jvp(
            self._shown, (t, x), (jnp.ones_like(t), self.derivative(t, x, u))
        )
        return {"displacement": motion, "velocity": speed, "acceleration": acceleration}
