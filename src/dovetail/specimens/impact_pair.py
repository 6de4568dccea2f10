"""Two bodies that hit each other on one line, by a contact law: the specimen of a docking test."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.contact import Latch, NormalLaw
from dovetail.specimens.base import Specimen


@kind("impact-pair")
class ImpactPair(Specimen):
    r"""A pair of specimens, one moved towards the other over an air gap.

    The imposed motion z closes the gap g; beyond it the depth is :math:`\delta = z - g` and the force on the
    numerical substructure :math:`-F(\delta, \dot z, \dot\delta_i)`. The impact speed is latched anew at every
    contact. Also shown: depth, the energy stored in the contact, and its heat and time so far.
    """

    law: NormalLaw
    gap: jax.Array = parameter("m", "distance at the start; below zero would be an overlap", at_least=0.0)
    latch: Latch = Latch()

    def init(self) -> dict[str, jax.Array]:
        zero = jnp.zeros_like(self.gap)
        return {"impact_speed": zero, "heat": zero, "touched": zero}

    def derivative(self, t, x, u):
        depth, speed, impact_speed = self._contact(x, u)
        return {
            "impact_speed": jnp.zeros_like(depth),  # latched by the jump
            "heat": self.law.dissipated_power(depth, speed, impact_speed),
            "touched": jnp.where(depth > 0, 1.0, 0.0),
        }

    def jump(self, t, x, u):
        depth, speed, _ = self._contact(x, u)
        return {**x, "impact_speed": self.latch.update(x["impact_speed"], depth, speed)}

    def output(self, t, x, u):
        depth, speed, impact_speed = self._contact(x, u)
        return {
            "force": -self.law.force(depth, speed, impact_speed),
            "depth": depth,
            "contact_energy": self.law.stored_energy(depth),
            "contact_heat": x["heat"],
            "contact_time": x["touched"],
        }

    def _contact(self, x, u):
        depth, speed = u["displacement"] - self.gap, u["velocity"]
        return depth, speed, self.latch.impact_speed(x["impact_speed"], speed)
