r"""On-line identification: a sampled model of the transfer system that learns while the test runs.

Recursive least squares with forgetting [Ljung 1987, ch. 11] on

.. math:: y_k = \sum_{i=1}^{n_a} a_i\, y_{k-i} + \sum_{j=0}^{n_b-1} b_j\, u_{k-j} + e_k .

Old samples lose weight by :math:`\lambda = e^{-\Delta t/T}` a step, T being the `memory`. Without excitation
the covariance would grow without end; it is kept from growing beyond its start.
"""

from __future__ import annotations

import dataclasses
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Block, count, kind, parameter
from dovetail.core.block import Output, State, Time


@kind("recursive-identification")
class RecursiveIdentification(Block):
    """Gain and delay of the transfer system at one frequency, learnt sample by sample.

    Input {"demand", "measured"}; output {"identified_gain", "identified_delay" [s], "identification_error"},
    each of the shape of the interface. The delay is that of a sine of `frequency`, between 0 and its period.
    The coefficients are in the state ("coefficients": a's, then b's).

    Noise on the measured signal biases the a's (it is in the regressors). With ``past_outputs=0`` there
    are none: then nothing is biased, and `past_inputs` must cover the delay.
    """

    frequency: jax.Array = parameter("Hz", "frequency at which gain and delay are read", above=0.0)
    memory: jax.Array = parameter("s", "time after which a sample counts 37 %", default=2.0, above=0.0)
    past_outputs: int = count("number of a's", default=0)
    past_inputs: int = count("number of b's", default=20, at_least=1)
    uncertainty: jax.Array = parameter(
        "1", "initial covariance over that of the noise, per signal squared", default=1e6, above=0.0
    )
    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        return dataclasses.replace(self, shape=tuple(shape))

    def init(self) -> State:
        n = self.past_outputs + self.past_inputs
        start = jnp.zeros(n).at[self.past_outputs].set(1.0)  # the output is the input, until learnt otherwise
        return {
            "coefficients": jnp.broadcast_to(start, (*self.shape, n)),
            "covariance": jnp.broadcast_to(self.uncertainty * jnp.eye(n), (*self.shape, n, n)),
            "past": jnp.zeros((*self.shape, n)),
        }

    def step(self, t: Time, dt: Time, x: State, u: dict[str, jax.Array]) -> tuple[State, Output]:
        forget = jnp.exp(-dt / self.memory)
        one = lambda x, demand, measured: self._learn(forget, x, demand, measured)  # noqa: E731
        for _ in self.shape:
            one = jax.vmap(one)
        demand, measured = (
            jnp.broadcast_to(jnp.asarray(u[name], float), self.shape) for name in ("demand", "measured")
        )
        x, error = one(x, demand, measured)
        gain, delay = self.response(x["coefficients"], dt)
        return x, {"identified_gain": gain, "identified_delay": delay, "identification_error": error}

    def _learn(self, forget, x, demand, measured):
        na = self.past_outputs
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
        """Gain and delay [s] of the sampled model at `frequency`."""
        na = self.past_outputs
        turn = 2 * jnp.pi * self.frequency * dt
        powers = jnp.exp(-1j * turn * jnp.arange(max(na + 1, self.past_inputs)))
        b = coefficients[..., na:] @ powers[: self.past_inputs]
        a = 1 - coefficients[..., :na] @ powers[1 : na + 1]
        ratio = b / a
        delay = jnp.mod(-jnp.angle(ratio), 2 * jnp.pi) / (2 * jnp.pi * self.frequency)
        return jnp.abs(ratio), delay
