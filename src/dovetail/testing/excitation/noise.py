"""Band-limited white noise excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.core.random import Random
from dovetail.testing.excitation.base import Excitation


@kind("white-noise-excitation")
class WhiteNoiseExcitation(Random, Excitation):
    r"""Band-limited white noise, as a sum of sines with random phases and frequencies.

    .. math:: r(t) = \sigma \sqrt{2/N} \sum_{i=1}^{N} \sin(2\pi f_i t + \varphi_i)

    The frequency of sine i is random in the i-th of N equal parts of the band, so the signal is not periodic. It is
    approximately Gaussian for large N (excess kurtosis -1.5/N), smooth, and defined at any time, not only at samples.
    Its rate is exact, and its mean square over a long time is `std` squared. The same key gives the same function of
    time for any step. All axes have the same signal; use `PerAxis` for independent signals.
    """

    std: Parameter = parameter("m", "standard deviation", at_least=0.0)
    min_frequency: Parameter = parameter("Hz", "lower edge of the band", at_least=0.0)
    max_frequency: Parameter = parameter("Hz", "upper edge of the band", above=0.0)
    sine_count: int = count("number of sines", default=64, at_least=1)

    def __check_init__(self) -> None:
        edges = (self.min_frequency, self.max_frequency)
        if not all_concrete(*edges):
            return
        if np.any(np.asarray(self.min_frequency) >= np.asarray(self.max_frequency)):
            raise ParameterError(
                f"WhiteNoiseExcitation.max_frequency: got {self.max_frequency} Hz; give more than "
                f"min_frequency, {self.min_frequency} Hz"
            )

    def value(self, t: Time) -> jax.Array:
        position = jax.random.uniform(self.draw_key(0), (self.sine_count,))
        phase = 2 * jnp.pi * jax.random.uniform(self.draw_key(1), (self.sine_count,))
        width = (self.max_frequency - self.min_frequency) / self.sine_count
        frequency = self.min_frequency + (jnp.arange(self.sine_count) + position) * width
        sines = jnp.sin(2 * jnp.pi * frequency * jnp.expand_dims(t, -1) + phase)
        return self.std * jnp.sqrt(2 / self.sine_count) * jnp.sum(sines, axis=-1)
