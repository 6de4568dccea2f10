"""An input that must first overcome a threshold."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("dead-zone")
class DeadZone(Transfer):
    """Nothing within `threshold` of zero, the excess beyond it: y = u - clip(u, -threshold, threshold)."""

    threshold: jax.Array = parameter("signal", "half width, in the unit of the signal", at_least=0.0)

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return (), u - jnp.clip(u, -self.threshold, self.threshold)

    def linear(self) -> LinearTransfer:
        return unit_gain("dead zone taken as unit gain: signals large against its threshold")
