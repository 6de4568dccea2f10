"""Random excitation in a band."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import count, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.core.random import Random
from dovetail.testing.excitation.base import Excitation


@kind("white-noise-excitation")
class WhiteNoiseExcitation(Random, Excitation):
    r"""Noise of flat spectrum between two frequencies, as a sum of sines of random phase and frequency.

    .. math:: r(t) = \sigma \sqrt{2/N} \sum_{i=1}^{N} \sin(2\pi f_i t + \varphi_i)

    Line i lies at random in the i-th of N equal parts of the band, so the signal does not repeat itself;
    it is Gaussian to the extent that N is large (excess kurtosis -1.5/N), smooth, and known at any time, not
    only at samples; its rate is exact, and its mean square over a long time is `std` squared. The same key
    gives the same function of time whatever the step. One draw serves all axes; `PerAxis` gives each its own.
    """

    std: jax.Array = parameter("m", "standard deviation", at_least=0.0)
    low: jax.Array = parameter("Hz", "lower edge of the band", at_least=0.0)
    high: jax.Array = parameter("Hz", "upper edge of the band", above=0.0)
    lines: int = count("number of sines", default=64, at_least=1)

    def __check_init__(self):
        edges = (self.low, self.high)
        if not known(*edges):
            return
        if np.any(np.asarray(self.low) >= np.asarray(self.high)):
            raise ParameterError(
                f"WhiteNoiseExcitation.high: got {self.high}; must be above low, {self.low} Hz"
            )

    def value(self, t: Time) -> jax.Array:
        place = jax.random.uniform(self.drawn(0), (self.lines,))
        phase = 2 * jnp.pi * jax.random.uniform(self.drawn(1), (self.lines,))
        width = (self.high - self.low) / self.lines
        frequency = self.low + (jnp.arange(self.lines) + place) * width
        lines = jnp.sin(2 * jnp.pi * frequency * jnp.expand_dims(t, -1) + phase)
        return self.std * jnp.sqrt(2 / self.lines) * jnp.sum(lines, axis=-1)
