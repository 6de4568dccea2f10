r"""Adaptive time series (ATS) compensation: an inverse model with coefficients fitted during the test.

If the response x of an actuator follows its command u with delay and gain, a Taylor series gives

.. math:: u = a_0 x + a_1 \dot x + a_2 \ddot x

with :math:`a_0 \approx 1`, :math:`a_1 \approx \tau` and :math:`a_2 \approx \tau^2/2` for a delay :math:`\tau` (for a
second-order actuator the relation is exact). The coefficients are fitted to the commands and measurements of the last
second by least squares and applied to the demand [1]_:

.. math:: z_p = a_0 z + a_1 \dot z + a_2 \ddot z

ATS is the most common adaptive compensator in real-time hybrid simulation. The derivatives of the measurement are
those of local cubics through `smoothing_window` samples. The commands are smoothed with the same weights, so both
have the same delay (the authors use a low-pass filter for this). A single sine does not determine both :math:`a_0`
and :math:`a_2`; `inertia` keeps undetermined combinations of coefficients unchanged. Coefficients are limited in
range and rate, and there is no adaptation while the motion is below `min_motion`.

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
from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError


@kind("adaptive-time-series")
class AdaptiveTimeSeries(Compensator):
    """Inverse model of second order, fitted to commands and measurements by least squares.

    Examples
    --------
    >>> compensator = AdaptiveTimeSeries(
    ...     delay=0.02, min_coefficients=(0.9, 0.0, 0.0), max_coefficients=(1.1, 0.06, 0.0032)
    ... )
    """

    shared: ClassVar[tuple[str, ...]] = ("min_coefficients", "max_coefficients", "max_coefficient_rate")

    delay: Parameter = parameter(
        "s", "expected delay: the initial coefficients are 1, delay, delay^2/2", at_least=0.0
    )
    window: Parameter = parameter("s", "duration of the fitted data", default=1.0, above=0.0)
    decimation: int = count("samples between two fitted samples", default=16, at_least=1)
    smoothing_window: int = count("number of samples of the local cubics, odd", default=9, at_least=5)
    min_motion: Parameter = parameter(
        "m", "motion below which there is no adaptation", default=2.5e-4, at_least=0.0
    )
    min_coefficients: Parameter = parameter(
        "1", "lower limits of a0, a1 [s], a2 [s^2]", default=(0.7, 0.0, 0.0), finite=False
    )
    max_coefficients: Parameter = parameter(
        "1", "upper limits of a0, a1 [s], a2 [s^2]", default=(1.3, 0.06, 0.0032), finite=False
    )
    max_coefficient_rate: Parameter = parameter(
        "1/s", "largest rate of a0, a1 [s], a2 [s^2]", default=(2.0, 0.05, 0.001), above=0.0, finite=False
    )
    inertia: Parameter = parameter(
        "1", "weight of the current coefficients in the fit, relative to the data", default=1e-6, above=0.0
    )
    taps: int = eqx.field(
        static=True, default=1, kw_only=True
    )  # number of fitted samples, set by `with_sample_time`

    def __check_init__(self) -> None:
        if self.smoothing_window % 2 == 0:
            raise ParameterError(
                f"AdaptiveTimeSeries.smoothing_window: got {self.smoothing_window}; expected an odd number"
            )
        limits = (self.min_coefficients, self.max_coefficients, self.max_coefficient_rate)
        if all(isinstance(v, jax.Array) for v in limits) and any(v.shape != (3,) for v in limits):
            raise ParameterError(
                "AdaptiveTimeSeries: expected min_coefficients, max_coefficients and max_coefficient_rate as lists of "
                "three: a0, a1, a2"
            )

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        rows = int(np.floor(float(np.asarray(self.window).max()) / dt / self.decimation + 1e-9))
        if rows < 3:
            raise ParameterError(
                f"AdaptiveTimeSeries.window: got {float(np.max(self.window)):g} s, {rows} samples of "
                f"{self.decimation * dt:g} s; three coefficients need at least 3: increase window or reduce decimation"
            )
        return dataclasses.replace(super().with_sample_time(dt, shape), taps=rows)

    def init(self) -> State:
        return {
            "measured": self.history(self.smoothing_window),
            "commands": self.history(self.smoothing_window),
            "responses": jnp.zeros((self.taps, 3, *self.shape)),
            "targets": self.history(self.taps),
            "tick": jnp.asarray(0),
            "coefficients": jnp.stack([self.broadcast(a) for a in self.initial_coefficients()]),
        }

    def initial_coefficients(self) -> jax.Array:
        """Return the initial coefficients a0, a1, a2: those of the expected delay, within the limits."""
        delay = self.delay
        expected = jnp.stack([jnp.ones_like(delay), delay, delay**2 / 2])
        return jnp.clip(
            expected, _column(self.min_coefficients, expected), _column(self.max_coefficients, expected)
        )

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        # the newest measurement and the last command belong to the same time, one sample ago
        measured = push(x["measured"], u["measured_displacement"])
        value, slope, curvature = _local_cubic(self.smoothing_window)
        response = jnp.stack([_sum(w, measured) for w in (value, slope / dt, curvature / dt**2)])
        target = _sum(value, x["commands"])

        tick = x["tick"] + 1
        is_fitted = tick % self.decimation == 0
        responses = jnp.where(is_fitted, push(x["responses"], response), x["responses"])
        targets = jnp.where(is_fitted, push(x["targets"], target), x["targets"])
        is_filled = tick >= self.decimation * self.taps + self.smoothing_window
        coefficients = self._adapt(dt, x["coefficients"], responses, targets, is_filled)

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

    def without_adaptation(self) -> SecondOrderInverse:
        a0, a1, a2 = self.initial_coefficients()  # a0 is 1 unless a limit excludes it
        return SecondOrderInverse(a2, a1, jnp.ones_like(a0), shape=self.shape)

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        a0, a1, a2 = self.initial_coefficients()
        s = 1j * jnp.asarray(omega)
        response: jax.Array = a0 + a1 * s + a2 * s**2
        return response

    def _adapt(
        self, dt: Time, present: jax.Array, responses: jax.Array, targets: jax.Array, is_filled: jax.Array
    ) -> jax.Array:
        """Return the coefficients moved towards the least-squares fit, within limits and rate."""
        # columns of equal size, so the fit does not depend on units
        size = jnp.sqrt(jnp.mean(responses**2, axis=0))
        moving = jnp.max(jnp.abs(responses[:, 0]), axis=0) > self.min_motion
        scale = jnp.where(moving, size, 1.0)
        columns = responses / scale
        residual = targets - jnp.sum(responses * present, axis=1)  # residual of the current coefficients
        normal = [[jnp.mean(columns[:, i] * columns[:, j], axis=0) for j in range(3)] for i in range(3)]
        for i in range(3):
            normal[i][i] = normal[i][i] + self.inertia
        change = _solve(normal, [jnp.mean(columns[:, i] * residual, axis=0) for i in range(3)]) / scale

        limit = _column(self.max_coefficient_rate, present) * dt
        change = jnp.where(is_filled & moving, jnp.clip(change, -limit, limit), 0.0)
        return jnp.clip(
            present + change, _column(self.min_coefficients, present), _column(self.max_coefficients, present)
        )


def _sum(weights: ArrayLike, history: jax.Array) -> jax.Array:
    return jnp.tensordot(jnp.asarray(weights), history, axes=1)


def _column(values: jax.Array, like: jax.Array) -> jax.Array:
    """Return three values shaped as the first axis of an array of coefficients."""
    return values.reshape(3, *(1,) * (like.ndim - 1))


@cache
def _local_cubic(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weights, newest sample first, of value, slope and curvature at the middle of a cubic, per sample."""
    age = np.arange(samples) - (samples - 1) / 2
    value, slope, curvature, _ = np.linalg.pinv(np.vander(-age, 4, increasing=True))
    return value, slope, 2.0 * curvature


def _solve(m: list[list[jax.Array]], b: list[jax.Array]) -> jax.Array:
    """Solve three equations by cofactors: fast to compile, for any trailing shape."""

    def cofactor(i: int, j: int) -> jax.Array:
        (a, c), (d, e) = [[m[r][k] for k in range(3) if k != j] for r in range(3) if r != i]
        return (-1.0 if (i + j) % 2 else 1.0) * (a * e - c * d)

    adjugate = [[cofactor(j, i) for j in range(3)] for i in range(3)]
    determinant = sum(m[0][k] * adjugate[k][0] for k in range(3))
    return jnp.stack([sum(a * v for a, v in zip(row, b, strict=True)) for row in adjugate]) / determinant
