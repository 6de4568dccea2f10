r"""On-line identification: a sampled model of the transfer system, updated during the test.

Recursive least squares with forgetting [Ljung 1987, ch. 11] on

.. math:: y_k = \sum_{i=1}^{n_a} a_i\, y_{k-i} + \sum_{j=0}^{n_b-1} b_j\, u_{k-j} + e_k .

The weight of old samples decreases by :math:`\lambda = e^{-\Delta t/T}` per step, with T the `forgetting_time`. Without
excitation the covariance would grow without bound; it is limited to its initial value.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Block, Parameter, count, kind, parameter
from dovetail.core.block import Output, State, Time


@kind("recursive-identification")
class RecursiveIdentification(Block):
    """Gain and delay of the transfer system at one frequency, updated at each sample.

    Input {"demand", "measured"}; output {"identified_gain", "identified_delay" [s], "identification_error"},
    each of the shape of the interface. The delay is the delay of a sine of `frequency`, between 0 and its period. The
    coefficients are in the state ("coefficients": all a, then all b).

    Noise on the measured signal biases the coefficients a (it is in the regressors). With ``output_count=0`` there are
    no coefficients a and no bias, and `input_count` must cover the delay.
    """

    frequency: Parameter = parameter("Hz", "frequency at which gain and delay are computed", above=0.0)
    forgetting_time: Parameter = parameter(
        "s", "time in which the weight of a sample decreases to 37 %", default=2.0, above=0.0
    )
    output_count: int = count("number of coefficients a", default=0)
    input_count: int = count("number of coefficients b", default=20, at_least=1)
    uncertainty: Parameter = parameter(
        "1", "initial covariance relative to the noise, per signal squared", default=1e6, above=0.0
    )
    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)

    def init(self) -> State:
        n = self.output_count + self.input_count
        start = jnp.zeros(n).at[self.output_count].set(1.0)  # initial model: output equals input
        return {
            "coefficients": jnp.broadcast_to(start, (*self.shape, n)),
            "covariance": jnp.broadcast_to(self.uncertainty * jnp.eye(n), (*self.shape, n, n)),
            "past": jnp.zeros((*self.shape, n)),
        }

    def step(self, t: Time, dt: Time, x: State, u: dict[str, jax.Array]) -> tuple[State, Output]:
        forget = jnp.exp(-dt / self.forgetting_time)
        one: Callable[..., Any] = functools.partial(self._update, forget)
        for _ in self.shape:
            one = jax.vmap(one)
        demand, measured = (
            jnp.broadcast_to(jnp.asarray(u[name], float), self.shape) for name in ("demand", "measured")
        )
        x, error = one(x, demand, measured)
        gain, delay = self.response(x["coefficients"], dt)
        return x, {"identified_gain": gain, "identified_delay": delay, "identification_error": error}

    def _update(
        self, forget: jax.Array, x: State, demand: jax.Array, measured: jax.Array
    ) -> tuple[State, jax.Array]:
        na = self.output_count
        past_y, past_u = x["past"][:na], x["past"][na:]
        phi = jnp.concatenate([past_y, demand[None], past_u[:-1]])
        error = measured - phi @ x["coefficients"]
        along = x["covariance"] @ phi
        gain = along / (forget + phi @ along)
        covariance = (x["covariance"] - jnp.outer(gain, along)) / forget
        n = phi.shape[0]
        covariance = (covariance + covariance.T) / 2
        covariance = covariance * jnp.minimum(1.0, n * self.uncertainty / jnp.trace(covariance))
        past = jnp.concatenate([measured[None], past_y[:-1], phi[na:]]) if na else phi[na:]
        state = {"coefficients": x["coefficients"] + gain * error, "covariance": covariance, "past": past}
        return state, error

    def response(self, coefficients: jax.Array, dt: Time) -> tuple[jax.Array, jax.Array]:
        """Return gain and delay [s] of the sampled model at `frequency`."""
        na = self.output_count
        angle = 2 * jnp.pi * self.frequency * dt
        powers = jnp.exp(-1j * angle * jnp.arange(max(na + 1, self.input_count)))
        b = coefficients[..., na:] @ powers[: self.input_count]
        a = 1 - coefficients[..., :na] @ powers[1 : na + 1]
        ratio = b / a
        delay = jnp.mod(-jnp.angle(ratio), 2 * jnp.pi) / (2 * jnp.pi * self.frequency)
        return jnp.abs(ratio), delay
