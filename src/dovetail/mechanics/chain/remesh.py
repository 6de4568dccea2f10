"""Change of the number of links of a rope, with its shape and motion preserved.

Nodes are set at equal arc lengths along the polygon of the old chain, links get their exact length, and velocities are
interpolated and projected so that no link stretches. A taut rope needs few links, a slack rope many: `AdaptiveElements`
adapts the number during a simulation [Mastrogiuseppe 2023, sec. 4.1.4].
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, constant, count, kind
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain.base import dot, link_differences, previous_column
from dovetail.mechanics.chain.links import LinkChain


def remesh(chain: LinkChain, x: Any, n: int) -> tuple[LinkChain, Any]:
    """Return the chain with n links, and its state."""
    new = dataclasses.replace(chain, n=n)
    nodes = chain.nodes(x)
    old_at, new_at = jnp.linspace(0.0, 1.0, chain.n + 1), jnp.linspace(0.0, 1.0, n + 1)

    def interpolate_rows(rows: jax.Array) -> jax.Array:
        return jnp.stack([jnp.interp(new_at, old_at, row) for row in rows])

    d = link_differences(interpolate_rows(nodes.position))
    u = d / jnp.sqrt(dot(d, d))
    l = chain.length / n
    position = jnp.cumsum(l * u, axis=1)
    start = {"position": position, "velocity": interpolate_rows(nodes.velocity)[:, 1:]}
    return new, new.impulse(start, jnp.zeros((3, n)))


def links_needed(
    x: Any, chain: LinkChain, *, max_bend: float = 0.1, min_links: int = 5, max_links: int = 200
) -> int:
    """Return the number of links for which no joint bends more than `max_bend` [rad], from the current bends."""
    d = np.asarray(x["position"] - previous_column(x["position"]))
    u = d / np.linalg.norm(d, axis=0)
    bend = np.arccos(np.clip(np.sum(u[:, 1:] * u[:, :-1], axis=0), -1.0, 1.0))
    sharpest = float(bend.max()) if bend.size else 0.0
    return int(min(max_links, max(min_links, math.ceil(chain.n * sharpest / max_bend))))


@kind("adaptive-elements")
class AdaptiveElements(Part):
    """Number of links adapted to the bends of a rope, in factors of two so that few programs are compiled.

    The sharpest bend is checked twenty times in a simulation. The number is halved only if half of it is sufficient
    with a margin of one third, so it does not alternate.
    """

    max_bend: float = constant("rad", "largest bend of a joint", default=0.1, above=0.0)
    min_links: int = count("smallest number of links", default=5, at_least=2)
    max_links: int = count("largest number of links; size of the records", default=80, at_least=2)

    def __check_init__(self) -> None:
        if self.max_links < self.min_links:
            raise ParameterError(
                f"AdaptiveElements.max_links: got {self.max_links}; must be at least min_links, {self.min_links}"
            )

    def link_count(self, chain: LinkChain, x: Any) -> int:
        """Return the required number of links."""
        needed = links_needed(x, chain, max_bend=self.max_bend, min_links=1, max_links=self.max_links)
        counts = [self.min_links]
        while counts[-1] < self.max_links:
            counts.append(min(2 * counts[-1], self.max_links))
        enough = next(n for n in counts if n >= needed)
        roomy = next((n for n in counts if n >= 1.5 * needed), self.max_links)
        return enough if enough > chain.n else min(roomy, chain.n)

    def resample_record(self, record: dict[str, jax.Array], n: int) -> dict[str, jax.Array]:
        """Return a record of a chain of n links resampled to `max_links` links: node positions and link tensions."""
        at, old = jnp.linspace(0.0, 1.0, self.max_links + 1), jnp.linspace(0.0, 1.0, n + 1)
        positions = jnp.stack([jnp.interp(at, old, row) for row in record["node_position"]])
        middle = 0.5 * (at[1:] + at[:-1])
        tension = record["tension"][jnp.clip((middle * n).astype(int), 0, n - 1)]
        return record | {"node_position": positions, "tension": tension, "link_count": jnp.asarray(float(n))}
