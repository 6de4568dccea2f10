"""Threshold below which a measurement is set to zero."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.transfer.base import MemorylessTransfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("threshold")
class Threshold(MemorylessTransfer):
    """Zero up to a level, the unchanged measurement above it: removes sensor noise during free flight.

    Unlike a `DeadZone` it does not reduce values above the level, so its output jumps. Contact detection of the testbed
    in [Bondoky 2020, sec. 8.3.1], 22 N.
    """

    level: Parameter = parameter("signal", "largest magnitude that is set to zero", at_least=0.0)

    def apply(self, t: Time, u: Input) -> Output:
        return jnp.where(jnp.abs(u) > self.level, u, 0.0)

    def linear(self) -> LinearTransfer:
        return unit_gain("threshold replaced by unit gain (signals large compared with it)")
