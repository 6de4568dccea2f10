r"""Which links grow shorter when a chain is reeled in: every one, or one after another from the support on.

Lengths of n links and their first two rates, (3, n), from the total length and its rates, (3,). `uniform` gives every
link an equal share, so that the rope slides past the nodes; `sequential` shortens the link at the support down to a
stub, then the next: the nodes below are material points, and nothing slides. Source: [Bolien 2018, secs 3.5.2 and 3.5.3].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

WAYS = ("uniform", "sequential")
STUB, CORNER = 0.05, 0.05  # of a link: what is left of it, and over what its neighbour takes over


def lengths(way: str, length: jax.Array, full: jax.Array, n: int) -> jax.Array:
    """(3, n) of n links that are `full` [m] long together when nothing is reeled in."""
    return {"uniform": uniform, "sequential": sequential}[way](length, full, n)


def uniform(length: jax.Array, full: jax.Array, n: int) -> jax.Array:
    """Every link takes an equal share."""
    return jnp.broadcast_to((jnp.asarray(length, float) / n)[:, None], (3, n))


def sequential(length: jax.Array, full: jax.Array, n: int) -> jax.Array:
    """One link after another from the support on, with rounded corners where one hands over to the next."""
    l0 = full / n
    w = CORNER * l0
    taken = jnp.stack([full - length[0], -length[1], -length[2]])
    u = taken[0] - l0 * (1 - STUB) * jnp.arange(1, n + 1)  # beyond where link k + 1 begins to shrink
    inside = jnp.abs(u) < w
    slope = jnp.where(inside, (u + w) / (2 * w), (u > 0) * 1.0)
    ends = jnp.stack(
        [
            jnp.where(inside, (u + w) ** 2 / (4 * w), jnp.maximum(u, 0.0)),
            slope * taken[1],
            jnp.where(inside, 1 / (2 * w), 0.0) * taken[1] ** 2 + slope * taken[2],
        ]
    )
    starts = jnp.concatenate([taken[:, None], ends[:, :-1]], axis=1)
    return (ends - starts).at[0].add(l0)
