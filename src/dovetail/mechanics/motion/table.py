r"""Frame motion from a table, with linear or monotone interpolation.

With linear interpolation the velocity jumps at each row. `"monotone"` gives a smooth motion without overshoot
[Fritsch & Carlson 1980]; `blend` averages the linear table over a window, which only rounds its corners.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.interpolation import interpolate, interval_and_fraction
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.motion.base import FrameMotion


@kind("table-motion")
class TableMotion(FrameMotion):
    """Frame motion from rows of time and pose; at rest before the first and after the last row."""

    times: Parameter = parameter("s", "times of the rows, increasing")
    values: Parameter = parameter("1", "translations [m] and angles [rad], one row for each time")
    interpolation: str = choice("monotone", "linear", about="interpolation between rows", default="monotone")
    blend: Parameter = parameter("s", "averaging window for linear interpolation", default=0.0, at_least=0.0)

    def __check_init__(self) -> None:
        if not all_concrete(self.times, self.values):
            return
        check_table("TableMotion", np.asarray(self.times), np.asarray(self.values))

    @property
    def valid_until(self) -> float:
        return float(np.asarray(self.times)[-1])

    def pose(self, t: jax.Array) -> jax.Array:
        if self.interpolation == "linear":
            return interpolate_blended(self.times, self.values, t, self.blend)
        return interpolate_monotone(self.times, self.values, t)


def check_table(name: str, times: np.ndarray, values: np.ndarray) -> None:
    """Raise `ParameterError` if rows are missing, not finite or not in order of time."""
    if times.ndim != 1 or len(times) < 2 or values.shape[:1] != times.shape:
        raise ParameterError(
            f"{name}: times have shape {times.shape}, values {values.shape}. Expected at least two times and one row "
            "of values for each time."
        )
    if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
        raise ParameterError(
            f"{name}: a row contains a value that is not finite. Interpolate it or remove the row."
        )
    if np.any(np.diff(times) <= 0):
        row = int(np.argmax(np.diff(times) <= 0)) + 1
        raise ParameterError(
            f"{name}.times: row {row} (counted from 0) is {times[row]:g} s after {times[row - 1]:g} s; "
            "times must increase"
        )


def interpolate_blended(times: jax.Array, values: jax.Array, t: jax.Array, window: jax.Array) -> jax.Array:
    """Return the mean of the linear table over a window around t; a window of zero gives the table."""
    steps = jnp.diff(times)[:, None]
    flat = values.reshape(values.shape[0], -1)
    area = jnp.concatenate([jnp.zeros_like(flat[:1]), jnp.cumsum((flat[1:] + flat[:-1]) / 2 * steps, 0)])

    def integral(t: jax.Array) -> jax.Array:
        inner = jnp.clip(t, times[0], times[-1])
        i, fraction = interval_and_fraction(times, inner)
        s = inner - times[i]
        rise = (flat[i + 1] - flat[i]) * fraction
        outside = flat[0] * jnp.minimum(t - times[0], 0.0) + flat[-1] * jnp.maximum(t - times[-1], 0.0)
        return area[i] + flat[i] * s + rise * s / 2 + outside

    safe = jnp.where(window > 0, window, 1.0)
    mean = (integral(t + safe / 2) - integral(t - safe / 2)) / safe
    return jnp.where(window > 0, mean.reshape(values.shape[1:]), interpolate(times, values, t))


def interpolate_monotone(times: jax.Array, values: jax.Array, t: jax.Array) -> jax.Array:
    """Return the monotone cubic interpolation between rows, constant outside the table."""
    i, s = interval_and_fraction(times, t)
    steps = jnp.diff(times).reshape(-1, *(1,) * (values.ndim - 1))
    chord = jnp.diff(values, axis=0) / steps
    h0, h1, d0, d1 = steps[:-1], steps[1:], chord[:-1], chord[1:]
    w0, w1 = 2 * h1 + h0, h1 + 2 * h0
    same = d0 * d1 > 0
    harmonic = (w0 + w1) / (w0 / jnp.where(same, d0, 1.0) + w1 / jnp.where(same, d1, 1.0))
    still = jnp.zeros_like(values[:1])  # at rest at both ends of the table
    slope = jnp.concatenate([still, jnp.where(same, harmonic, 0.0), still])
    width = times[i + 1] - times[i]
    m0, m1 = slope[i] * width, slope[i + 1] * width
    return (
        values[i] * (1 + 2 * s) * (1 - s) ** 2
        + m0 * s * (1 - s) ** 2
        + values[i + 1] * s**2 * (3 - 2 * s)
        + m1 * s**2 * (s - 1)
    )
