"""Sensor noise from the part's random key: the same seed gives bit-identical noise.

The state counts the steps, and the noise of step k is drawn from the key and k. The noise of different parts and axes
is independent. A change of `dt` gives another realisation; each class states which properties do not depend on `dt`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.random import Random
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer

_FIRST = 2**32 - 1  # index of the initial draw; steps count up from 0


@kind("white-noise")
class WhiteNoise(Random, Transfer):
    """White noise: adds an independent Gaussian value of standard deviation `std` at each sample.

    `std` applies to the samples for any step, so the spectral density std^2 dt (two-sided, per Hz) is proportional to
    the step. If the density is given instead, use `from_density`. For noise that does not depend on the step use
    `ColouredNoise`.
    """

    std: Parameter = parameter(
        "signal", "standard deviation of a sample, in the unit of the signal", at_least=0.0
    )

    @classmethod
    def from_density(cls, density: float, dt: float) -> WhiteNoise:
        """Create white noise of two-sided spectral density `density` [signal^2/Hz], sampled every `dt` [s]."""
        return cls(jnp.sqrt(jnp.asarray(density) / dt))

    def init(self) -> State:
        self.draw_key(0)  # raises an error before the run if the part has no key
        return jnp.zeros((), jnp.uint32)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        noise = jax.random.normal(self.draw_key(x), self.shape)
        return x + 1, u + self.std * noise

    def linear(self) -> LinearTransfer:
        return unit_gain("noise neglected")


@kind("coloured-noise")
class ColouredNoise(Random, Transfer):
    r"""Coloured noise: adds white noise filtered by a first-order low-pass of corner frequency :math:`f_c`.

    Two-sided density :math:`\sigma^2 / (\pi f_c) \,/\, (1 + (f/f_c)^2)`, correlation
    :math:`\sigma^2 e^{-2\pi f_c |s|}` over a time s. The step is exact and the initial state is stationary, so variance
    and correlation do not depend on the step.
    """

    std: Parameter = parameter("signal", "standard deviation, in the unit of the signal", at_least=0.0)
    corner_frequency: Parameter = parameter("Hz", "frequency at which the density is halved", above=0.0)

    def init(self) -> State:
        start = jax.random.normal(self.draw_key(_FIRST), self.shape)
        return start, jnp.zeros((), jnp.uint32)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        noise, k = x
        decay = jnp.exp(-2 * jnp.pi * self.corner_frequency * dt)
        amplitude = jnp.sqrt(-jnp.expm1(-4 * jnp.pi * self.corner_frequency * dt))
        noise = decay * noise + amplitude * jax.random.normal(self.draw_key(k), self.shape)
        return (noise, k + 1), u + self.std * noise

    def linear(self) -> LinearTransfer:
        return unit_gain("noise neglected")


@kind("relative-noise")
class RelativeNoise(Random, Transfer):
    """Gaussian noise proportional to the signal: y = u (1 + fraction n), n of unit standard deviation.

    For a sensor whose noise is specified as a fraction of the signal, such as the 5 to 7 % on the feedback force of a
    ball-screw rig [Wallace 2006, sec. 3.4]. Independent from sample to sample, like `WhiteNoise`.
    """

    fraction: Parameter = parameter("1", "standard deviation as a fraction of the signal", at_least=0.0)

    def init(self) -> State:
        self.draw_key(0)  # raises an error before the run if the part has no key
        return jnp.zeros((), jnp.uint32)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return x + 1, u * (1 + self.fraction * jax.random.normal(self.draw_key(x), self.shape))

    def linear(self) -> LinearTransfer:
        return unit_gain("noise neglected")
