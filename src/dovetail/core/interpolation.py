r"""Interpolation in tables over time, and smooth steps.

With increasing times :math:`t_0 < \dots < t_{n-1}` a time between rows i and i + 1 has the fraction
:math:`s = (t - t_i)/(t_{i+1} - t_i)`. Times outside the table are clamped to its first or last row.

A short table is searched by comparing all rows at once: a few operations that are compiled into the surrounding loop.
The bisection of JAX adds one more loop at each table, which dominates programs with many tables.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

SHORT = 64  # rows up to which comparing all rows is faster than bisection


def interval_and_fraction(
    times: Float[Array, " n"], t: Float[Array, "*k"]
) -> tuple[jax.Array, Float[Array, "*k"]]:
    """Return the row i before a time [s] (never the last row) and the fraction s of the interval."""
    times = jnp.asarray(times)
    method = "compare_all" if times.shape[0] <= SHORT else "scan"
    i = jnp.clip(jnp.searchsorted(times, t, side="right", method=method) - 1, 0, times.shape[0] - 2)
    fraction = (t - times[i]) / (times[i + 1] - times[i])
    # no clip: its derivative at both ends is half of the derivative inside
    return i, jnp.where(t < times[0], 0.0, jnp.where(t > times[-1], 1.0, fraction))


def interpolate(times: Float[Array, " n"], values: Float[Array, " n *v"], t: Float[Array, "*k"]) -> jax.Array:
    """Interpolate values (n, ...), one row for each time: linear between rows, constant outside."""
    values, (i, fraction) = jnp.asarray(values), interval_and_fraction(times, t)
    return values[i] + (values[i + 1] - values[i]) * fraction


def smooth_step(s: Any) -> Any:
    r"""Return the minimum-jerk step :math:`10s^3 - 15s^4 + 6s^5` from 0 to 1 for s in [0, 1]; at rest at both ends."""
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def fade_in_factor(t: jax.Array, rise_time: jax.Array | float) -> jax.Array:
    """Return the factor, 0 to 1, of a signal that fades in from t = 0 within `rise_time` [s]; 1 if that is zero."""
    s = jnp.clip(t / jnp.where(jnp.asarray(rise_time) > 0, rise_time, 1.0), 0.0, 1.0)
    return jnp.where(jnp.asarray(rise_time) > 0, smooth_step(s), 1.0)
