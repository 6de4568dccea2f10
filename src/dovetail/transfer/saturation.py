"""Amplitude and rate limits of an actuator."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import MemorylessTransfer, Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("amplitude-limit")
class AmplitudeLimit(MemorylessTransfer):
    """Amplitude limit (stroke or range): the output is the input, clipped to +/- `limit`."""

    limit: Parameter = parameter(
        "signal", "largest magnitude, in the unit of the signal", above=0.0, finite=False
    )

    def apply(self, t: Time, u: Input) -> Output:
        return jnp.clip(u, -self.limit, self.limit)

    def linear(self) -> LinearTransfer:
        return unit_gain("amplitude limit assumed not reached")


@kind("rate-limit")
class RateLimit(Transfer):
    """Rate limit: the output follows the input by at most `limit` dt per step."""

    limit: Parameter = parameter(
        "signal", "largest rate, in the unit of the signal per second", above=0.0, finite=False
    )

    def init(self) -> State:
        return jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        y = jnp.clip(u, x - self.limit * dt, x + self.limit * dt)
        return y, y

    def linear(self) -> LinearTransfer:
        return unit_gain("rate limit assumed not reached")
