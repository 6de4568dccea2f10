r"""Noise shaped by the bandwidth of a second-order instrument.

White noise of two-sided density S through :math:`1/(1 + 2 d s/w + s^2/w^2)` has the variance
:math:`\sigma^2 = S\,w/(4 d)` [Bondoky 2020, sec. 8.2.4]. Output and rate have the stationary covariance
:math:`P = \mathrm{diag}(\sigma^2, \sigma^2 w^2)`. Each step multiplies by :math:`\Phi = e^{A\Delta t}` and adds a
random vector of covariance :math:`P - \Phi P \Phi^T`, which is exact for any step.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.random import Random
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer

_FIRST = 2**32 - 1  # index of the initial draw; steps count up from 0


@kind("shaped-noise")
class ShapedNoise(Random, Transfer):
    """Adds a bias and noise with the bandwidth of a second-order instrument, stationary from the start."""

    std: Parameter = parameter("signal", "standard deviation, in the unit of the signal", at_least=0.0)
    omega: Parameter = parameter("rad/s", "natural angular frequency of the instrument", above=0.0)
    damping: Parameter = parameter("1", "damping ratio of the instrument", above=0.0, default=0.707)
    bias: Parameter = parameter("signal", "mean, in the unit of the signal", default=0.0)

    @property
    def density(self) -> jax.Array:
        """Two-sided spectral density of the white noise before the filter [signal^2/Hz]."""
        return self.std**2 * 4 * self.damping / self.omega

    def init(self) -> State:
        draw = jax.random.normal(self.draw_key(_FIRST), (2, *self.shape))
        return draw[0], draw[1], jnp.zeros((), jnp.uint32)  # output and rate in units of their deviation

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        y, v, k = x
        p = self._decay(dt)
        # covariance of the draw, I - p p^T, and its Cholesky factor
        q11, q21 = 1 - p[0][0] ** 2 - p[0][1] ** 2, -(p[0][0] * p[1][0] + p[0][1] * p[1][1])
        q22 = 1 - p[1][0] ** 2 - p[1][1] ** 2
        l11 = jnp.sqrt(jnp.maximum(q11, 1e-300))
        l21 = q21 / l11
        l22 = jnp.sqrt(jnp.maximum(q22 - l21**2, 0.0))
        a, b = jax.random.normal(self.draw_key(k), (2, *self.shape))
        y, v = p[0][0] * y + p[0][1] * v + l11 * a, p[1][0] * y + p[1][1] * v + l21 * a + l22 * b
        return (y, v, k + 1), u + self.bias + self.std * y

    def _decay(self, dt: Time) -> tuple[tuple[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]:
        """Transition matrix of (output, rate/w) over a step without input, from free responses of a lag."""
        lag = SecondOrderLag(self.omega, self.damping, shape=self.shape)
        one, zero = jnp.ones(self.shape), jnp.zeros(self.shape)
        (y1, v1, _), _ = lag.step(0.0, dt, (one, zero, zero), zero)
        (y2, v2, _), _ = lag.step(0.0, dt, (zero, self.omega * one, zero), zero)
        return (y1, y2), (v1 / self.omega, v2 / self.omega)

    def linear(self) -> LinearTransfer:
        return unit_gain("noise neglected")
