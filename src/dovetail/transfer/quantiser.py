"""Quantisation by converters."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.transfer.base import MemorylessTransfer, unit_gain
from dovetail.transfer.continuous import Signal
from dovetail.transfer.linear import LinearTransfer


@kind("quantiser")
class Quantiser(MemorylessTransfer):
    """Rounds to the nearest multiple of `resolution` (halves to even), error up to half of it; 0 disables rounding.

    The derivative is that of the unrounded signal, because the true derivative is zero almost everywhere and useless
    for an optimiser.
    """

    resolution: Parameter = parameter("signal", "size of one step, in the unit of the signal", at_least=0.0)

    @classmethod
    def converter(cls, bits: int, full_scale: float) -> Quantiser:
        """Create a converter with `bits` over the range -full_scale to +full_scale, without its range limit."""
        return cls(2.0 * full_scale / 2**bits)

    def apply(self, t: Time, u: Input) -> Output:
        rounds = self.resolution > 0
        size = jnp.where(rounds, self.resolution, 1.0)
        rounded = jnp.where(rounds, size * jnp.round(u / size), u)
        return u + jax.lax.stop_gradient(rounded - u)

    def with_rates(self, t: Time, u: Signal) -> Signal:
        return self.apply(t, u[0]), *u[1:]

    def linear(self) -> LinearTransfer:
        return unit_gain("quantiser replaced by unit gain (signals large compared with its resolution)")
