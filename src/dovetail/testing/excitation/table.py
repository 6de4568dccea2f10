"""Tabulated excitation."""

from __future__ import annotations

import dataclasses
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays, all_concrete
from dovetail.testing.excitation.base import Excitation


@kind("table")
class Table(Excitation):
    r"""Tabulated excitation with linear or cubic interpolation.

    The cubic is that of Catmull and Rom: in each interval a cubic Hermite polynomial whose end slopes are those of the
    parabola through the neighbours (Bessel), so value and rate are continuous and no system is solved. At both ends
    of the table the slope is that of the interval. Before the first time and after the last the value is constant.

    After `with_sample_time`, equally spaced times are found by division, others by bisection.
    """

    times: Parameter = parameter("s", "times, increasing")
    values: Parameter = parameter("m", "values, one for each time, or one row per time and column per axis")
    interpolation: str = choice("linear", "cubic", about="interpolation between the times", default="linear")
    uniform: bool = eqx.field(static=True, default=False, kw_only=True)

    def __check_init__(self) -> None:
        t, v = self.times, self.values
        if not all_arrays(t, v):
            return
        if t.ndim != 1 or v.ndim == 0 or len(t) < 2 or len(v) != len(t):
            raise ParameterError(
                f"Table: {t.shape} times and {v.shape} values; give at least two times, and one value or one row "
                f"for each"
            )
        if not all_concrete(t, v):
            return
        for name, array in (("times", np.asarray(t)[:, None]), ("values", np.asarray(v).reshape(len(t), -1))):
            bad = ~np.all(np.isfinite(array), axis=1)
            if bad.any():
                raise ParameterError(
                    f"Table.{name}: row {int(np.argmax(bad))} (counted from 0) is not a number; "
                    f"fill the gap or remove the row"
                )
        steps = np.diff(np.asarray(t))
        if np.any(steps <= 0):
            row = int(np.argmax(steps <= 0)) + 1
            raise ParameterError(
                f"Table.times: row {row} (counted from 0) is {t[row]:g} s after {t[row - 1]:g} s; "
                f"times must increase"
            )

    @property
    def valid_until(self) -> float:
        return float(self.times[-1])

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        sized = super().with_sample_time(dt, shape)
        if not all_concrete(self.times):
            return sized
        times = np.asarray(self.times)
        even = np.linspace(times[0], times[-1], len(times))
        uniform = bool(np.max(np.abs(times - even)) <= 1e-9 * (times[1] - times[0]))
        return dataclasses.replace(sized, uniform=uniform)

    def value(self, t: Time) -> jax.Array:
        times, values = self.times, self.values
        last = times.shape[0] - 1
        t = jnp.clip(jnp.asarray(t, float), times[0], times[-1])
        if self.uniform:
            i = jnp.floor((t - times[0]) * (last / (times[-1] - times[0]))).astype(int)
        else:
            i = jnp.searchsorted(times, t, side="right") - 1
        i = jnp.clip(i, 0, last - 1)
        width = times[i + 1] - times[i]
        s = (t - times[i]) / width
        s = jnp.expand_dims(s, tuple(range(jnp.ndim(t), jnp.ndim(t) + values.ndim - 1)))
        v0, v1 = values[i], values[i + 1]
        if self.interpolation == "linear":
            return v0 + s * (v1 - v0)
        width = jnp.reshape(width, jnp.shape(s))
        m0, m1 = self._slope(i) * width, self._slope(i + 1) * width
        return (
            v0 * (1 + 2 * s) * (1 - s) ** 2
            + m0 * s * (1 - s) ** 2
            + v1 * s**2 * (3 - 2 * s)
            + m1 * s**2 * (s - 1)
        )

    def _slope(self, i: jax.Array) -> jax.Array:
        """Return the slope at row i: of the parabola through three neighbouring rows; at an end, of the chord."""
        last = self.times.shape[0] - 1
        before, after = jnp.maximum(i - 1, 0), jnp.minimum(i + 1, last)
        extra = tuple(range(jnp.ndim(i), jnp.ndim(i) + self.values.ndim - 1))
        h0 = jnp.expand_dims(self.times[i] - self.times[before], extra)
        h1 = jnp.expand_dims(self.times[after] - self.times[i], extra)
        d0 = (self.values[i] - self.values[before]) / jnp.where(h0 > 0, h0, 1.0)
        d1 = (self.values[after] - self.values[i]) / jnp.where(h1 > 0, h1, 1.0)
        inside = (h0 > 0) & (h1 > 0)
        return jnp.where(
            inside, (h1 * d0 + h0 * d1) / (h0 + h1), d0 + d1
        )  # at an end one of d0 and d1 is zero
