"""What a transducer's data sheet states as its error: linearity and hysteresis."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import MemorylessTransfer, Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("linearity-error")
class LinearityError(MemorylessTransfer):
    r"""A transducer whose curve leaves the straight line by up to `fraction` of its range.

    The line is that through the ends (terminal-based), the curve the simplest odd one that meets it at zero
    and at both ends: :math:`y = u + e R \sin(\pi u/R)`, with R the range from zero to either end. A sheet
    that states ±0.1 % of a stroke of ±25 mm has ``fraction=1e-3``, ``range=25e-3``. Beyond it is exact.
    """

    fraction: jax.Array = parameter("1", "largest deviation over the range", at_least=-0.3, at_most=0.3)
    range: jax.Array = parameter("signal", "from zero to either end, in the unit of the signal", above=0.0)

    def through(self, t: Time, u: Input) -> Output:
        inside = jnp.clip(u / self.range, -1.0, 1.0)
        return u + self.fraction * self.range * jnp.sin(jnp.pi * inside)

    def linear(self) -> LinearTransfer:
        return unit_gain("linearity error of a sensor left out")


@kind("hysteresis")
class Hysteresis(Transfer):
    """A transducer that reads high on the way down and low on the way up, by up to `fraction` of its range.

    After a reversal the error changes sign over a travel of `travel` of the range, in proportion.
    """

    fraction: jax.Array = parameter("1", "error on a long way, over the range", at_least=0.0)
    range: jax.Array = parameter("signal", "full range, in the unit of the signal", above=0.0)
    travel: jax.Array = parameter(
        "1", "travel in which the error turns, over the range", default=0.02, above=0.0
    )

    def init(self) -> State:
        return jnp.zeros(self.shape), jnp.zeros(self.shape)  # last input, where between up (-1) and down (1)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        last, branch = x
        u = jnp.asarray(u, float)
        branch = jnp.clip(branch - 2 * (u - last) / (self.travel * self.range), -1.0, 1.0)
        return (u, branch), u + self.fraction * self.range * branch

    def linear(self) -> LinearTransfer:
        return unit_gain("hysteresis of a sensor left out")
