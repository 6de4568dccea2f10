r"""Landing gear with its securing device as a six-axis specimen: wrench from the airframe's motion over a plate.

The gear is that of a reduced aircraft: massless legs on struts, feet with the normal and friction laws of the body, and
with `secured` the clamps.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.mechanics.airframe import DeckMotion, ReducedAircraft
from dovetail.mechanics.bodies import BodyState
from dovetail.mechanics.bodies.free_bodies import from_motion
from dovetail.mechanics.spatial import MovingFrame, Pose
from dovetail.specimens.base import Specimen


def _deck_at_rest() -> DeckMotion:
    """Return the deck motion of a deck at rest in still air."""
    return DeckMotion(MovingFrame(*jnp.zeros((3, 3))), jnp.zeros(3))


@kind("deck-gear")
class DeckGear(Specimen):
    """Gear of `body` on a plate; `height` is the initial height of the numerical airframe above rest."""

    body: ReducedAircraft = ReducedAircraft()
    height: Parameter = parameter("m", "initial height above the rest position on the plate", default=0.0)

    def init(self) -> State:
        return self.body.surface_contact.init(*self.body.feet.shape)

    def _state_and_forces(self, x: State, u: Input) -> tuple[dict[str, Any], Any]:
        pose = Pose(p=self.body.init()["body"].p + self.height * jnp.array([0.0, 0.0, 1.0]))
        state = {"body": BodyState.from_pose(*from_motion(pose, u["displacement"], u["velocity"])), **x}
        return state, self.body.forces(state, _deck_at_rest())

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self._state_and_forces(x, u)[1]["met"].rate

    @property
    def jumps(self) -> bool:
        """True if the feet have states that change at each step."""
        return self.body.surface_contact.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.body.surface_contact.update_memory(x, self._state_and_forces(x, u)[1]["met"])

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.body.surface_contact.guards(self._state_and_forces(x, u)[1]["met"])

    def output(self, t: Time, x: State, u: Input) -> Output:
        state, forces = self._state_and_forces(x, u)
        force = jnp.sum(forces["total"], 0)
        moment = jnp.sum(jnp.cross(forces["place"] - state["body"].p, forces["total"]), 0)
        extremes = self.body.extremes(state, _deck_at_rest())
        return {
            "force": jnp.concatenate([force, moment]),
            "foot_force": forces["met"].normal_force,
            "securing_load": extremes.securing_load,
        }
