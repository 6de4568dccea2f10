"""Limits of an actuator: how far and how fast."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import MemorylessTransfer, Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("amplitude-limit")
class AmplitudeLimit(MemorylessTransfer):
    """Stroke or range: the output is the input, at most `limit` either way."""

    limit: jax.Array = parameter("signal", "largest magnitude, in the unit of the signal", above=0.0)

    def through(self, t: Time, u: Input) -> Output:
        return jnp.clip(u, -self.limit, self.limit)

    def linear(self) -> LinearTransfer:
        return unit_gain("amplitude limit taken as not reached")


@kind("rate-limit")
class RateLimit(Transfer):
    """Top speed: the output goes to the input, at most `limit` dt in a step."""

    limit: jax.Array = parameter("signal", "largest rate, in the unit of the signal per second", above=0.0)

    def init(self) -> State:
        return jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        y = jnp.clip(u, x - self.limit * dt, x + self.limit * dt)
        return y, y

    def linear(self) -> LinearTransfer:
        return unit_gain("rate limit taken as not reached")
