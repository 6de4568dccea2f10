r"""A landing gear, and what holds it, as the specimen of a six-axis rig: airframe motion over a plate in, wrench out.

The gear is that of a `SprungAircraft`: legs without mass on struts, feet that push and rub by the laws of the body,
and with `secured` the clamps.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.airframe import DeckFeel, SprungAircraft
from dovetail.mechanics.bodies import BodyState
from dovetail.mechanics.bodies.free_bodies import from_motion
from dovetail.mechanics.spatial import Carrier, Pose
from dovetail.specimens.base import Specimen


def _rest() -> DeckFeel:
    """Of a deck that stands still, in air that does."""
    return DeckFeel(Carrier(*jnp.zeros((3, 3))), jnp.zeros(3))


@kind("deck-gear")
class DeckGear(Specimen):
    """The gear of `body` on a plate; `height` is that of the numerical airframe's start over standing."""

    body: SprungAircraft = SprungAircraft()
    height: jax.Array = parameter("m", "of the start over standing on the plate", default=0.0)

    def init(self):
        return self.body.meeting.init(*self.body.feet.shape)

    def _acts(self, x, u):
        home = Pose(p=self.body.init()["body"].p + self.height * jnp.array([0.0, 0.0, 1.0]))
        state = {"body": BodyState.at(*from_motion(home, u["displacement"], u["velocity"])), **x}
        return state, self.body.forces(state, _rest())

    def derivative(self, t, x, u):
        return self._acts(x, u)[1]["met"].rate

    @property
    def jumps(self) -> bool:
        """Whether the feet remember anything from step to step."""
        return self.body.meeting.jumps

    def jump(self, t, x, u):
        return self.body.meeting.after(x, self._acts(x, u)[1]["met"])

    def output(self, t, x, u):
        state, acts = self._acts(x, u)
        force = jnp.sum(acts["total"], 0)
        moment = jnp.sum(jnp.cross(acts["place"] - state["body"].p, acts["total"]), 0)
        seen = self.body.seen(state, _rest())
        return {
            "force": jnp.concatenate([force, moment]),
            "foot_force": acts["met"].normal_force,
            "securing_load": seen.securing_load,
        }
