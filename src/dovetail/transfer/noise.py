"""Noise of a sensor, from the part's own key: the same seed gives the same noise, bit for bit.

The state counts the steps, and the noise of step k is drawn from the key and k. The noise of two parts, and
of two axes, is independent. A change of `dt` gives another realisation; what stays the same is said below.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.random import Random
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer

_FIRST = 2**32 - 1  # the draw a state starts from; steps count up from 0


@kind("white-noise")
class WhiteNoise(Random, Transfer):
    """Adds an independent Gaussian number of standard deviation `std` at every sample.

    `std` is that of the samples, whatever the step, so the spectral density std^2 dt (two-sided, per Hz)
    goes with the step. Where the density is known instead, use `of_density`. Noise that does not depend on
    the step is `ColouredNoise`.
    """

    std: jax.Array = parameter(
        "signal", "standard deviation of a sample, in the unit of the signal", at_least=0.0
    )

    @classmethod
    def of_density(cls, density: float, dt: float) -> WhiteNoise:
        """White noise of two-sided spectral density `density` [signal^2/Hz], sampled every `dt` [s]."""
        return cls(jnp.sqrt(jnp.asarray(density) / dt))

    def init(self) -> State:
        self.drawn(0)  # a part without a key says so here, before anything runs
        return jnp.zeros((), jnp.uint32)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        noise = jax.random.normal(self.drawn(x), self.shape)
        return x + 1, u + self.std * noise

    def linear(self) -> LinearTransfer:
        return unit_gain("noise left out")


@kind("coloured-noise")
class ColouredNoise(Random, Transfer):
    r"""Adds white noise seen through a first-order filter of corner frequency :math:`f_c`.

    Two-sided density :math:`\sigma^2 / (\pi f_c) \,/\, (1 + (f/f_c)^2)`, correlation
    :math:`\sigma^2 e^{-2\pi f_c |s|}` over a time s. Stepped exactly, and in its steady state from the
    start, so variance and correlation are the same whatever the step.
    """

    std: jax.Array = parameter("signal", "standard deviation, in the unit of the signal", at_least=0.0)
    corner: jax.Array = parameter("Hz", "frequency at which the density has halved", above=0.0)

    def init(self) -> State:
        start = jax.random.normal(self.drawn(_FIRST), self.shape)
        return start, jnp.zeros((), jnp.uint32)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        noise, k = x
        kept = jnp.exp(-2 * jnp.pi * self.corner * dt)
        fresh = jnp.sqrt(-jnp.expm1(-4 * jnp.pi * self.corner * dt))
        noise = kept * noise + fresh * jax.random.normal(self.drawn(k), self.shape)
        return (noise, k + 1), u + self.std * noise

    def linear(self) -> LinearTransfer:
        return unit_gain("noise left out")


@kind("relative-noise")
class RelativeNoise(Random, Transfer):
    """Gaussian noise in proportion to the signal: y = u (1 + fraction n), n of unit deviation.

    For a sensor whose noise is quoted as a share of the signal, such as the 5 to 7 % on the feedback force of
    a ball-screw rig [Wallace 2006, sec. 3.4]. Independent from sample to sample, as `WhiteNoise`.
    """

    fraction: jax.Array = parameter("1", "standard deviation over the signal", at_least=0.0)

    def init(self) -> State:
        self.drawn(0)  # a part without a key says so here, before anything runs
        return jnp.zeros((), jnp.uint32)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return x + 1, u * (1 + self.fraction * jax.random.normal(self.drawn(x), self.shape))

    def linear(self) -> LinearTransfer:
        return unit_gain("noise left out")
