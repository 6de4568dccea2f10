"""Dead zone around zero."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.transfer.base import MemorylessTransfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("dead-zone")
class DeadZone(MemorylessTransfer):
    """Zero output within `threshold` of zero, the excess beyond it: y = u - clip(u, -threshold, threshold)."""

    threshold: Parameter = parameter("signal", "half width, in the unit of the signal", at_least=0.0)

    def apply(self, t: Time, u: Input) -> Output:
        return u - jnp.clip(u, -self.threshold, self.threshold)

    def linear(self) -> LinearTransfer:
        return unit_gain("dead zone replaced by unit gain (signals large compared with its threshold)")
