"""Two bodies that collide on one axis, with a contact law: the specimen of a docking test."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, choice, kind, parameter
from dovetail.mechanics.contact import ImpactSpeedMemory, NormalLaw, contact_kinematics
from dovetail.specimens.base import Specimen


class LinePair(Specimen):
    r"""Base of two bodies on one line: one moves towards the other over an air gap.

    The displacement z closes the gap g (with `closing_direction = "negative"` -z does: a falling plate). Beyond the
    gap the penetration is :math:`\delta = z - g` and the force on the numerical substructure :math:`-F(\delta, \dot z,
    \dot\delta_i)`. The impact speed is stored at the start of each contact. Further outputs: penetration, stored
    contact energy, dissipated energy and total contact time. There is no friction, because there is no slip on one
    line.
    """

    law: NormalLaw
    gap: Parameter = parameter("m", "initial distance; a negative value would be a penetration", at_least=0.0)
    impact_speed_memory: ImpactSpeedMemory = ImpactSpeedMemory()
    closing_direction: str = choice(
        "positive",
        "negative",
        about="direction of the imposed motion that closes the gap",
        default="positive",
    )

    @property
    def _sign(self) -> float:
        return 1.0 if self.closing_direction == "positive" else -1.0

    def init(self) -> dict[str, jax.Array]:
        return dict.fromkeys(("impact_speed", "heat", "touched"), jnp.zeros_like(self.gap))

    def derivative(self, t: Time, x: State, u: Input) -> State:
        depth, speed, impact_speed = self._contact(x, u)
        return {
            "impact_speed": jnp.zeros_like(depth),  # set by the jump
            "heat": self.law.dissipated_power(depth, speed, impact_speed),
            "touched": jnp.where(depth > 0, 1.0, 0.0),
        }

    @property
    def jumps(self) -> bool:
        """True if the law requires the impact speed."""
        return self.law.needs_impact_speed

    def jump(self, t: Time, x: State, u: Input) -> State:
        depth, speed, _ = self._contact(x, u)
        return {**x, "impact_speed": self.impact_speed_memory.update(x["impact_speed"], depth, speed)}

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return -jnp.ravel(self._contact(x, u)[0])

    def output(self, t: Time, x: State, u: Input) -> Output:
        depth, speed, impact_speed = self._contact(x, u)
        return {
            "force": -self._sign * self.law.force(depth, speed, impact_speed),
            "penetration": depth,
            "contact_energy": self.law.stored_energy(depth),
            "contact_dissipation": x["heat"],
            "contact_time": x["touched"],
        }

    def _contact(self, x: State, u: Input) -> tuple[jax.Array, jax.Array, jax.Array]:
        distance, velocity = self.approach_motion(x, u)
        sign = self._sign
        depth, speed, _ = contact_kinematics(
            self.gap - sign * distance, jnp.array([-sign]), jnp.asarray(velocity)[..., None]
        )
        return depth, speed, self.impact_speed_memory.impact_speed(x["impact_speed"], speed)

    @abstractmethod
    def approach_motion(self, x: State, u: Input) -> tuple[jax.Array, jax.Array]:
        """Approach of the two bodies: distance [m] and speed [m/s]."""


@kind("impact-pair")
class ImpactPair(LinePair):
    """Impact pair on a rigid actuator: the approach equals the imposed motion."""

    def approach_motion(self, x: State, u: Input) -> tuple[jax.Array, jax.Array]:
        return u["displacement"], u["velocity"]
