"""Two bodies that hit each other on one line, by a contact law: the specimen of a docking test."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import choice, kind, parameter
from dovetail.mechanics.contact import Latch, NormalLaw, approach
from dovetail.specimens.base import Specimen


class PairOnALine(Specimen):
    r"""Two bodies on one line, the one moved towards the other over an air gap, whatever carries it.

    The motion z closes the gap g (or -z does, with `closes = "back"`: a plate that falls); beyond it the
    depth is :math:`\delta = z - g` and the force on the numerical substructure :math:`-F(\delta, \dot z,
    \dot\delta_i)`. The impact speed is latched anew at every contact. Also shown: depth, the energy stored in the
    contact, and its heat and time so far. On one line nothing slips, so there is no friction.
    """

    law: NormalLaw
    gap: jax.Array = parameter("m", "distance at the start; below zero would be an overlap", at_least=0.0)
    latch: Latch = Latch()
    closes: str = choice(
        "ahead", "back", about="which way of the imposed motion closes the gap", default="ahead"
    )

    @property
    def _sign(self) -> float:
        return 1.0 if self.closes == "ahead" else -1.0

    def init(self) -> dict[str, jax.Array]:
        return dict.fromkeys(("impact_speed", "heat", "touched"), jnp.zeros_like(self.gap))

    def derivative(self, t, x, u):
        depth, speed, impact_speed = self._contact(x, u)
        return {
            "impact_speed": jnp.zeros_like(depth),  # latched by the jump
            "heat": self.law.dissipated_power(depth, speed, impact_speed),
            "touched": jnp.where(depth > 0, 1.0, 0.0),
        }

    @property
    def jumps(self) -> bool:
        """Whether the law asks for the impact speed."""
        return self.law.latches

    def jump(self, t, x, u):
        depth, speed, _ = self._contact(x, u)
        return {**x, "impact_speed": self.latch.update(x["impact_speed"], depth, speed)}

    def output(self, t, x, u):
        depth, speed, impact_speed = self._contact(x, u)
        return {
            "force": -self._sign * self.law.force(depth, speed, impact_speed),
            "depth": depth,
            "contact_energy": self.law.stored_energy(depth),
            "contact_heat": x["heat"],
            "contact_time": x["touched"],
        }

    def _contact(self, x, u):
        way, pace = self.moved(x, u)
        sign = self._sign
        depth, speed, _ = approach(self.gap - sign * way, jnp.array([-sign]), jnp.asarray(pace)[..., None])
        return depth, speed, self.latch.impact_speed(x["impact_speed"], speed)

    @abstractmethod
    def moved(self, x, u) -> tuple[jax.Array, jax.Array]:
        """How far [m] and how fast [m/s] the one has come towards the other."""


@kind("impact-pair")
class ImpactPair(PairOnALine):
    """A pair of specimens, one moved towards the other over an air gap, as it is told to."""

    def moved(self, x, u):
        return u["displacement"], u["velocity"]
