"""Linearity error and hysteresis of a transducer, as given in its data sheet."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import MemorylessTransfer, Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("linearity-error")
class LinearityError(MemorylessTransfer):
    r"""Transducer whose characteristic deviates from a straight line by up to `fraction` of its range.

    The line connects the end points (terminal-based). The curve is the simplest odd function that meets the line at
    zero and at both ends: :math:`y = u + e R \sin(\pi u/R)`, with R the range from zero to either end. A data sheet
    with ±0.1 % of a stroke of ±25 mm gives ``fraction=1e-3``, ``range=25e-3``. Outside the range the error is zero.
    """

    fraction: Parameter = parameter(
        "1", "largest deviation as a fraction of the range", at_least=-0.3, at_most=0.3
    )
    range: Parameter = parameter(
        "signal", "range from zero to either end, in the unit of the signal", above=0.0
    )

    def apply(self, t: Time, u: Input) -> Output:
        inside = jnp.clip(u / self.range, -1.0, 1.0)
        return u + self.fraction * self.range * jnp.sin(jnp.pi * inside)

    def linear(self) -> LinearTransfer:
        return unit_gain("linearity error of a sensor neglected")


@kind("hysteresis")
class Hysteresis(Transfer):
    """Transducer with hysteresis: high when decreasing, low when increasing, by up to `fraction` of its range.

    After a reversal the error changes sign linearly over the reversal distance.
    """

    fraction: Parameter = parameter(
        "1", "error after a long travel, as a fraction of the range", at_least=0.0
    )
    range: Parameter = parameter("signal", "full range, in the unit of the signal", above=0.0)
    reversal_distance: Parameter = parameter(
        "1", "travel over which the error reverses, as a fraction of the range", default=0.02, above=0.0
    )

    def init(self) -> State:
        return jnp.zeros(self.shape), jnp.zeros(
            self.shape
        )  # last input; branch between increasing (-1) and decreasing (1)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        last, branch = x
        u = jnp.asarray(u, float)
        branch = jnp.clip(branch - 2 * (u - last) / (self.reversal_distance * self.range), -1.0, 1.0)
        return (u, branch), u + self.fraction * self.range * branch

    def linear(self) -> LinearTransfer:
        return unit_gain("hysteresis of a sensor neglected")
