"""A sensor's zero error."""

from __future__ import annotations

import jax

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("bias")
class Bias(Transfer):
    """A constant offset and, where given, a steady drift: y = u + offset + drift t."""

    offset: jax.Array = parameter("signal", "offset, in the unit of the signal")
    drift: jax.Array = parameter("signal", "drift, in the unit of the signal per second", default=0.0)

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return (), u + self.offset + self.drift * (t + dt)

    def linear(self) -> LinearTransfer:
        return unit_gain("bias left out")
