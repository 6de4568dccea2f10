"""A reading that counts only once it is large enough."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.transfer.base import MemorylessTransfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("threshold")
class Threshold(MemorylessTransfer):
    """Zero up to a level, the reading itself above it: keeps a sensor's noise out of a free flight.

    Unlike a `DeadZone` it takes nothing off what passes, so it jumps. Contact detection of the testbed in
    [Bondoky 2020, sec. 8.3.1], 22 N.
    """

    level: jax.Array = parameter("signal", "largest size that counts as zero", at_least=0.0)

    def through(self, t: Time, u: Input) -> Output:
        return jnp.where(jnp.abs(u) > self.level, u, 0.0)

    def linear(self) -> LinearTransfer:
        return unit_gain("threshold taken as unit gain: signals large against it")
