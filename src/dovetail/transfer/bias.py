"""Sensor bias: constant offset and drift."""

from __future__ import annotations

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.transfer.base import MemorylessTransfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("bias")
class Bias(MemorylessTransfer):
    """Constant offset with optional linear drift: y = u + offset + drift t."""

    offset: Parameter = parameter("signal", "offset, in the unit of the signal")
    drift: Parameter = parameter("signal", "drift, in the unit of the signal per second", default=0.0)

    def apply(self, t: Time, u: Input) -> Output:
        return u + self.offset + self.drift * t

    def linear(self) -> LinearTransfer:
        return unit_gain("bias neglected")
