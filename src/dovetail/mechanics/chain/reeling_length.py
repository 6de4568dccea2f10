"""Lengths of the links of a reeled chain: all links change together, or one after another from the support.

Lengths (n,) of n links and their first two rates follow from the total length and its rates. With `uniform` all links
have the same length, so the rope slides past the nodes. With `sequential` the link at the support shortens down to a
stub, then the next; the nodes below are material points without sliding. Source: [Bolien 2018, secs 3.5.2 and 3.5.3].
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain.base import previous_column

# [m, m/s, m/s^2] length and its two rates, separate because constant lengths have the plain number 0.0 as rates
Rates = tuple[jax.Array, Any, Any]
WAYS = ("uniform", "sequential")
STUB, CORNER = 0.05, 0.05  # fractions of a link: length of the stub, and length of the rounded transition


def lengths(way: str, length: Any, full: jax.Array, n: int) -> Rates:
    """Return the lengths of n links for `length` and its rates (three); `full` [m] is the complete length."""
    return {"uniform": uniform, "sequential": sequential}[way](length, full, n)


def uniform(length: Any, full: jax.Array, n: int) -> Rates:
    """Return equal link lengths."""
    l, rate, rate2 = (jnp.broadcast_to(length[i] / n, (n,)) for i in range(3))
    return l, rate, rate2


def sequential(length: Any, full: jax.Array, n: int) -> Rates:
    """Return link lengths that change one after another from the support, with rounded transitions."""
    end, end_rate, end_rate2 = _taken(length, full, n)
    return (
        full / n + end - previous_column(end, full - length[0]),
        end_rate - previous_column(end_rate, -length[1]),
        end_rate2 - previous_column(end_rate2, -length[2]),
    )


def slip(way: str, length: Any, full: jax.Array, n: int) -> tuple[jax.Array, jax.Array]:
    """Return the speed (n,), and its rate, at which rope slides past the far ends of the links.

    Closed form, because a running sum of the link rates would dominate the cost of a reel.
    """
    if way == "uniform":
        beyond = 1.0 - np.arange(1, n + 1) / n
        return length[1] * beyond, length[2] * beyond
    _, rate, rate2 = _taken(length, full, n)
    return -rate, -rate2


def _taken(length: Any, full: jax.Array, n: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the length (n,) reeled in beyond the far end of each link, and its two rates, for sequential links."""
    l0 = full / n
    w = CORNER * l0
    taken, rate, rate2 = full - length[0], -length[1], -length[2]
    u = taken - l0 * (1 - STUB) * jnp.arange(
        1, n + 1
    )  # length beyond the point where link k + 1 starts to shrink
    inside = jnp.abs(u) < w
    slope = jnp.where(inside, (u + w) / (2 * w), (u > 0) * 1.0)
    end = jnp.where(inside, (u + w) ** 2 / (4 * w), jnp.maximum(u, 0.0))
    return end, slope * rate, jnp.where(inside, 1 / (2 * w), 0.0) * rate**2 + slope * rate2
