r"""A landing gear, and what holds it, as the specimen of a six-axis rig: airframe motion over a plate in, wrench out.

The gear is that of `DeckBody`: legs without mass on struts, feet that rub by bristles, and with `secured` the clamps.
The bristles follow LuGre's rate, :math:`\dot z = -v - |v|\,z/z_{max}`, which keeps them within their limit without a
rule after each step.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.mechanics.friction.base import length
from dovetail.mechanics.spatial import euler, quaternion
from dovetail.sea.deck_body import DeckBody, DeckFeel
from dovetail.specimens.base import Specimen

_REST = DeckFeel(*(np.zeros(3) for _ in DeckFeel._fields))


@kind("deck-gear")
class DeckGear(Specimen):
    """The gear of `body` on a plate; `height` is that of the numerical airframe's start over standing."""

    body: DeckBody = DeckBody()
    height: jax.Array = parameter("m", "of the start over standing on the plate", default=0.0)

    def init(self):
        return jnp.zeros((self.body.feet.shape[0], 3))

    def _acts(self, z, u):
        motion, speed = u["displacement"], u["velocity"]
        home = self.body.init()["position"] + self.height * jnp.array([0.0, 0.0, 1.0])
        C = euler.to_matrix(motion[3:])
        x = {
            "position": home + motion[:3],
            "attitude": quaternion.from_matrix(C),
            "velocity": speed[:3],
            "turning": euler.angular_velocity(motion[3:], speed[3:]),
            "bristle": z,
        }
        return x, self.body.forces(x, _REST)

    def derivative(self, t, x, u):
        _, acts = self._acts(x, u)
        friction, slip = self.body.friction, acts["slip"]
        pace = jnp.sqrt(jnp.sum(slip**2, 1, keepdims=True) + 1e-18)
        most = friction.coefficient(length(slip)) * acts["normal"][:, None]
        most = jnp.maximum(most / friction.stiffness, 1e-5)
        touching = (acts["normal"] > 0)[:, None]
        # off the plate the bristle is let go within some milliseconds
        return jnp.where(touching, -slip - pace * x / most, -x / 2e-3)

    def output(self, t, x, u):
        state, acts = self._acts(x, u)
        force = jnp.sum(acts["total"], 0)
        moment = jnp.sum(jnp.cross(acts["place"] - state["position"], acts["total"]), 0)
        seen = self.body.seen(state, _REST)
        return {
            "force": jnp.concatenate([force, moment]),
            "foot_force": acts["normal"],
            "securing_load": seen.securing_load,
        }
