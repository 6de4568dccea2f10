"""Contact gates: decide from the simulated motion whether the force of the specimen is measured.

While the gate is closed, the robot stands still and the simulation continues with zero force. The decision uses the
simulated kinematics only. Choose a generous margin: measuring a force of zero costs one step, a missed contact makes
the test invalid. Source: [Bolien 2018, sec. 3.2].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, choice, count, kind, parameter
from dovetail.core.errors import UnknownNameError


class ContactGate(Part):
    """Contact gate: open where the force of the specimen is measured."""

    @abstractmethod
    def is_open(self, motion: dict[str, Any]) -> jax.Array:
        """Return whether the force is measured, from the output of the numerical substructure."""


@kind("always-on")
class AlwaysOn(ContactGate):
    """Contact gate that is always open, for a classical test of a structure."""

    def is_open(self, motion: dict[str, Any]) -> jax.Array:
        return jnp.array(True)


@kind("plane-gate")
class PlaneGate(ContactGate):
    """Contact gate that opens where one axis passes a level, for example a plate above a ball."""

    level: Parameter = parameter("m", "level at which contact begins")
    axis: int = count("axis of the interface, counted from 0", default=0)
    side: str = choice("below", "above", about="side of the level with contact", default="below")
    margin: Parameter = parameter(
        "m", "distance from the level at which the gate opens", default=0.0, at_least=0.0
    )

    def is_open(self, motion: dict[str, Any]) -> jax.Array:
        z = jnp.ravel(motion["displacement"])[self.axis]
        if self.side == "below":
            return z <= self.level + self.margin
        return z >= self.level - self.margin


@kind("clearance-gate")
class ClearanceGate(ContactGate):
    """Contact gate that opens where a clearance, an output of the numerical substructure, is below a margin."""

    signal: str = eqx.field(static=True, default="clearance")
    margin: Parameter = parameter("m", "clearance below which the gate is open", default=0.01, at_least=0.0)

    def is_open(self, motion: dict[str, Any]) -> jax.Array:
        if self.signal not in motion:
            raise UnknownNameError(
                "signal of the numerical substructure", self.signal, motion, renamed="signals"
            )
        return jnp.min(motion[self.signal]) <= self.margin
