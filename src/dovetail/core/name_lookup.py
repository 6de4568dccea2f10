r"""Between two values: where a time lies in a table, what is linear between its rows, what rises smoothly.

With rising times :math:`t_0 < \dots < t_{n-1}` a time within row i and the next has the share
:math:`s = (t - t_i)/(t_{i+1} - t_i)`; before the first row it is that row's time, after the last the last's.

A short table is searched by comparing all of its rows at once, a few operations that compile into the loop around them;
a bisection, which JAX searches by, is a loop of its own in each place where a table is read, and a program of many
tables is mostly those.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

SHORT = 64  # rows up to which all comparisons take less time than a bisection


def place(times: Float[Array, " n"], t: Float[Array, "*k"]) -> tuple[jax.Array, Float[Array, "*k"]]:
    """Row i that a time [s] lies behind, with one after it, and its share s of the way to that."""
    times = jnp.asarray(times)
    method = "compare_all" if times.shape[0] <= SHORT else "scan"
    i = jnp.clip(jnp.searchsorted(times, t, side="right", method=method) - 1, 0, times.shape[0] - 2)
    share = (t - times[i]) / (times[i + 1] - times[i])
    # not by a clip, whose derivative at either end is half of that within
    return i, jnp.where(t < times[0], 0.0, jnp.where(t > times[-1], 1.0, share))


def linear(times: Float[Array, " n"], values: Float[Array, " n *v"], t: Float[Array, "*k"]) -> jax.Array:
    """Values (n, ...), one row for each time, linear between rows and constant outside."""
    values, (i, share) = jnp.asarray(values), place(times, t)
    return values[i] + (values[i + 1] - values[i]) * share


def smooth(s: Any) -> Any:
    r"""The least jerk from 0 to 1, :math:`10s^3 - 15s^4 + 6s^5`, for a share s in [0, 1]: at rest at either end."""
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def risen(t: jax.Array, rise: jax.Array | float) -> jax.Array:
    """Share, 0 to 1, to which something has faded in at t [s] that begins at zero and takes `rise` [s]; 1 without."""
    s = jnp.clip(t / jnp.where(jnp.asarray(rise) > 0, rise, 1.0), 0.0, 1.0)
    return jnp.where(jnp.asarray(rise) > 0, smooth(s), 1.0)
