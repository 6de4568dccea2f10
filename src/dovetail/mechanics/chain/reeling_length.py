r"""Which links grow shorter when a chain is reeled in: every one, or one after another from the support on.

Lengths (n,) of n links and their first two rates from the total length and its rates. `uniform` gives every link an
equal share, so that the rope slides past the nodes; `sequential` shortens the link at the support down to a stub, then
the next: the nodes below are material points, and nothing slides. Source: [Bolien 2018, secs 3.5.2 and 3.5.3].
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain.base import before

# [m, m/s, m/s^2]; apart, so that one can change while others do not. Rates of what is fixed are the plain number 0.0
Rates = tuple[jax.Array, Any, Any]
WAYS = ("uniform", "sequential")
STUB, CORNER = 0.05, 0.05  # of a link: what is left of it, and over what its neighbour takes over


def lengths(way: str, length: Any, full: jax.Array, n: int) -> Rates:
    """Of n links that are `full` [m] long together when nothing is reeled in, with `length` and its rates, three."""
    return {"uniform": uniform, "sequential": sequential}[way](length, full, n)


def uniform(length: Any, full: jax.Array, n: int) -> Rates:
    """Every link takes an equal share."""
    l, rate, rate2 = (jnp.broadcast_to(length[i] / n, (n,)) for i in range(3))
    return l, rate, rate2


def sequential(length: Any, full: jax.Array, n: int) -> Rates:
    """One link after another from the support on, with rounded corners where one hands over to the next."""
    end, end_rate, end_rate2 = _taken(length, full, n)
    return (
        full / n + end - before(end, full - length[0]),
        end_rate - before(end_rate, -length[1]),
        end_rate2 - before(end_rate2, -length[2]),
    )


def slip(way: str, length: Any, full: jax.Array, n: int) -> tuple[jax.Array, jax.Array]:
    """Speed (n,) and its rate at which rope slides past the links' far ends: the rates of what is beyond them.

    In closed form: a running sum of the links' rates would cost more than all else that a reel adds to a chain.
    """
    if way == "uniform":
        beyond = 1.0 - np.arange(1, n + 1) / n
        return length[1] * beyond, length[2] * beyond
    _, rate, rate2 = _taken(length, full, n)
    return -rate, -rate2


def _taken(length, full, n):
    """Length (n,) taken in from beyond each link's far end, and its two rates, where links shrink in sequence."""
    l0 = full / n
    w = CORNER * l0
    taken, rate, rate2 = full - length[0], -length[1], -length[2]
    u = taken - l0 * (1 - STUB) * jnp.arange(1, n + 1)  # beyond where link k + 1 begins to shrink
    inside = jnp.abs(u) < w
    slope = jnp.where(inside, (u + w) / (2 * w), (u > 0) * 1.0)
    end = jnp.where(inside, (u + w) ** 2 / (4 * w), jnp.maximum(u, 0.0))
    return end, slope * rate, jnp.where(inside, 1 / (2 * w), 0.0) * rate**2 + slope * rate2
