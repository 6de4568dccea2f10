r"""Adaptive time series (ATS) compensation: an inverse model whose coefficients are fitted while testing.

If the actuator's response x follows its command u late and with some gain, then, in a Taylor series,

.. math:: u = a_0 x + a_1 \dot x + a_2 \ddot x

with :math:`a_0 \approx 1`, :math:`a_1 \approx \tau` and :math:`a_2 \approx \tau^2/2` for a delay
:math:`\tau` (for a second-order actuator the relation is exact). The coefficients that fit the commands and
measurements of the last second, by least squares, are then applied to what the numerical substructure asks
for [1]_:

.. math:: z_p = a_0 z + a_1 \dot z + a_2 \ddot z

Today's usual adaptive compensator in real-time hybrid simulation. Derivatives of the measurement are those of
local cubics through `smoothing` samples, and the commands are smoothed by the same weights, so both stay in
step (the authors use a low-pass filter to that end). A single sine cannot tell :math:`a_0` from
:math:`a_2`; what the data leave open stays as it is (`inertia`). Coefficients are limited in range and rate,
and nothing is learnt while the motion is below `threshold`.

References
----------
.. [1] Chae, Kazemibidokhti and Ricles, Earthquake Eng. Struct. Dyn. 42(11), 1697-1715, 2013.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator, push
from dovetail.compensation.inverse import SecondOrderInverse
from dovetail.core import count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError


@kind("adaptive-time-series")
class AdaptiveTimeSeries(Compensator):
    """Least-squares inverse of second order, learnt from commands and measurements.

    Examples
    --------
    >>> compensator = AdaptiveTimeSeries(delay=0.02, lowest=(0.9, 0.0, 0.0), highest=(1.1, 0.06, 0.0032))
    """

    shared: ClassVar[tuple[str, ...]] = ("lowest", "highest", "rate")

    delay: jax.Array = parameter("s", "expected delay: the start is 1, delay, delay^2/2", at_least=0.0)
    window: jax.Array = parameter("s", "length of the data that are fitted", default=1.0, above=0.0)
    skip: int = count("samples from one fitted sample to the next", default=16, at_least=1)
    smoothing: int = count("samples of the local cubics, an odd number", default=9, at_least=5)
    threshold: jax.Array = parameter(
        "m", "motion below which nothing is learnt", default=2.5e-4, at_least=0.0
    )
    lowest: jax.Array = parameter("1", "lower limits of a0, a1 [s], a2 [s^2]", default=(0.7, 0.0, 0.0))
    highest: jax.Array = parameter("1", "upper limits of a0, a1 [s], a2 [s^2]", default=(1.3, 0.06, 0.0032))
    rate: jax.Array = parameter(
        "1/s", "fastest change of a0, a1 [s], a2 [s^2]", default=(2.0, 0.05, 0.001), above=0.0
    )
    inertia: jax.Array = parameter(
        "1", "weight of the present coefficients in the fit, relative to the data", default=1e-6, above=0.0
    )
    taps: int = eqx.field(static=True, default=1, kw_only=True)  # fitted samples, set by `sampled_at`

    def __check_init__(self):
        if self.smoothing % 2 == 0:
            raise ParameterError(f"AdaptiveTimeSeries.smoothing: got {self.smoothing}; must be an odd number")
        limits = (self.lowest, self.highest, self.rate)
        if all(isinstance(v, jax.Array) for v in limits) and any(v.shape != (3,) for v in limits):
            raise ParameterError(
                "AdaptiveTimeSeries: lowest, highest and rate are lists of three: a0, a1, a2"
            )

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        rows = int(np.floor(float(np.asarray(self.window).max()) / dt / self.skip + 1e-9))
        if rows < 3:
            raise ParameterError(
                f"AdaptiveTimeSeries.window: {float(np.max(self.window)):g} s holds {rows} samples at every "
                f"{self.skip * dt:g} s; three coefficients need at least 3: lengthen window or lower skip"
            )
        return dataclasses.replace(super().sampled_at(dt, shape), taps=rows)

    def init(self) -> State:
        return {
            "measured": self.history(self.smoothing),
            "commands": self.history(self.smoothing),
            "responses": jnp.zeros((self.taps, 3, *self.shape)),
            "targets": self.history(self.taps),
            "tick": jnp.asarray(0),
            "coefficients": jnp.stack([self.full(a) for a in self.start()]),
        }

    def start(self) -> jax.Array:
        """The coefficients to start with, a0, a1, a2: those of the expected delay, within the limits."""
        delay = self.delay
        expected = jnp.stack([jnp.ones_like(delay), delay, delay**2 / 2])
        return jnp.clip(expected, _column(self.lowest, expected), _column(self.highest, expected))

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        # the newest measurement and the last command belong to the same instant, a sample ago
        measured = push(x["measured"], u["measured_displacement"])
        value, slope, bend = _local_cubic(self.smoothing)
        response = jnp.stack([_sum(w, measured) for w in (value, slope / dt, bend / dt**2)])
        target = _sum(value, x["commands"])

        tick = x["tick"] + 1
        taken = tick % self.skip == 0
        responses = jnp.where(taken, push(x["responses"], response), x["responses"])
        targets = jnp.where(taken, push(x["targets"], target), x["targets"])
        full = tick >= self.skip * self.taps + self.smoothing
        coefficients = self._learn(dt, x["coefficients"], responses, targets, full)

        motion = jnp.stack([u["displacement"], u["velocity"], u["acceleration"]])
        command = jnp.sum(coefficients * motion, axis=0)
        state = {
            "measured": measured,
            "commands": push(x["commands"], command),
            "responses": responses,
            "targets": targets,
            "tick": tick,
            "coefficients": coefficients,
        }
        a0, a1, a2 = coefficients
        return state, {"command": command, "ats_a0": a0, "ats_a1": a1, "ats_a2": a2}

    def frozen(self) -> SecondOrderInverse:
        a0, a1, a2 = self.start()  # a0 is 1 unless a limit excludes it
        return SecondOrderInverse(a2, a1, jnp.ones_like(a0), shape=self.shape)

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        a0, a1, a2 = self.start()
        s = 1j * jnp.asarray(omega)
        return a0 + a1 * s + a2 * s**2

    def _learn(self, dt, present, responses, targets, full):
        """Coefficients nearer to the least-squares fit, as far as limits and rate let them go."""
        # columns of equal size, so that the fit does not depend on units
        size = jnp.sqrt(jnp.mean(responses**2, axis=0))
        moving = jnp.max(jnp.abs(responses[:, 0]), axis=0) > self.threshold
        scale = jnp.where(moving, size, 1.0)
        columns = responses / scale
        left = targets - jnp.sum(responses * present, axis=1)  # what the present coefficients do not explain
        normal = [[jnp.mean(columns[:, i] * columns[:, j], axis=0) for j in range(3)] for i in range(3)]
        for i in range(3):
            normal[i][i] = normal[i][i] + self.inertia
        change = _solve(normal, [jnp.mean(columns[:, i] * left, axis=0) for i in range(3)]) / scale

        limit = _column(self.rate, present) * dt
        change = jnp.where(full & moving, jnp.clip(change, -limit, limit), 0.0)
        return jnp.clip(present + change, _column(self.lowest, present), _column(self.highest, present))


def _sum(weights: ArrayLike, history: jax.Array) -> jax.Array:
    return jnp.tensordot(jnp.asarray(weights), history, axes=1)


def _column(values: jax.Array, like: jax.Array) -> jax.Array:
    """Three values along the first axis of an array of coefficients."""
    return values.reshape(3, *(1,) * (like.ndim - 1))


@cache
def _local_cubic(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, newest sample first, of value, slope and bend at the middle of a cubic, per sample."""
    age = np.arange(samples) - (samples - 1) / 2
    value, slope, bend, _ = np.linalg.pinv(np.vander(-age, 4, increasing=True))
    return value, slope, 2.0 * bend


def _solve(m: list[list[jax.Array]], b: list[jax.Array]) -> jax.Array:
    """Three equations by cofactors: no pivoting loop to compile, and any trailing shape."""

    def cofactor(i, j):
        (a, c), (d, e) = [[m[r][k] for k in range(3) if k != j] for r in range(3) if r != i]
        return (-1) ** (i + j) * (a * e - c * d)

    adjugate = [[cofactor(j, i) for j in range(3)] for i in range(3)]
    determinant = sum(m[0][k] * adjugate[k][0] for k in range(3))
    return jnp.stack([sum(a * v for a, v in zip(row, b, strict=True)) for row in adjugate]) / determinant
