"""The same rope with another number of links: its shape and motion carried over.

Nodes are put at equal arc lengths along the old chain's polygon, links are given their exact length again, and
velocities are interpolated and freed of what would stretch a link. A taut rope needs few links, a slack one many.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain.base import apart, before, dot
from dovetail.mechanics.chain.links import LinkChain


def remesh(chain: LinkChain, x: Any, n: int) -> tuple[LinkChain, Any]:
    """The chain with n links, and its state."""
    new = dataclasses.replace(chain, n=n)
    nodes = chain.nodes(x)
    old_at, new_at = jnp.linspace(0.0, 1.0, chain.n + 1), jnp.linspace(0.0, 1.0, n + 1)

    def carried(rows):
        return jnp.stack([jnp.interp(new_at, old_at, row) for row in rows])

    d = apart(carried(nodes.position))
    u = d / jnp.sqrt(dot(d, d))
    l = chain.length / n
    position = jnp.cumsum(l * u, axis=1)
    start = {"position": position, "velocity": carried(nodes.velocity)[:, 1:]}
    return new, new.impulse(start, jnp.zeros((3, n)))


def links_needed(x: Any, chain: LinkChain, *, angle: float = 0.1, least: int = 5, most: int = 200) -> int:
    """Links with which no joint bends by more than `angle` [rad], judged from the bends there are."""
    d = np.asarray(x["position"] - before(x["position"]))
    u = d / np.linalg.norm(d, axis=0)
    bend = np.arccos(np.clip(np.sum(u[:, 1:] * u[:, :-1], axis=0), -1.0, 1.0))
    sharpest = float(bend.max()) if bend.size else 0.0
    return int(min(most, max(least, math.ceil(chain.n * sharpest / angle))))
