"""The contact gate: does the simulation, at this pose, need the specimen's force?

In free phases the robot stands still and the simulation runs on with zero force. The decision rests on the
simulated kinematics alone, with a generous margin: a force of zero measured in vain costs one step, a
contact that is missed costs the test. Source: [Bolien 2018, sec. 3.2].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Part, choice, count, kind, parameter
from dovetail.core.errors import UnknownNameError


class ContactGate(Part):
    """Says from the numerical substructure's output whether contact is near."""

    @abstractmethod
    def near(self, motion: dict[str, Any]) -> jax.Array:
        """True where the specimen's force is to be measured."""


@kind("always-near")
class AlwaysNear(ContactGate):
    """The specimen is never let go: the classical test of a structure."""

    def near(self, motion):
        return jnp.array(True)


@kind("near-plane")
class NearPlane(ContactGate):
    """Near where one axis has passed a level, or is within a margin of it: a plate above a ball."""

    level: jax.Array = parameter("m", "where contact begins")
    axis: int = count("of the interface, counted from 0", default=0)
    side: str = choice("below", "above", about="where the contact is, seen from the level", default="below")
    margin: jax.Array = parameter("m", "before the level", default=0.0, at_least=0.0)

    def near(self, motion):
        z = jnp.ravel(motion["displacement"])[self.axis]
        if self.side == "below":
            return z <= self.level + self.margin
        return z >= self.level - self.margin


@kind("near-signal")
class NearSignal(ContactGate):
    """Near where a clearance that the numerical substructure shows is below a margin."""

    signal: str = eqx.field(static=True, default="clearance")
    margin: jax.Array = parameter("m", "clearance below which the robot moves", default=0.01, at_least=0.0)

    def near(self, motion):
        if self.signal not in motion:
            raise UnknownNameError(
                "signal of the numerical substructure", self.signal, motion, renamed="signals"
            )
        return jnp.min(motion[self.signal]) <= self.margin
