"""The same rope with another number of links: its shape and motion carried over.

Nodes are put at equal arc lengths along the old chain's polygon, links are given their exact length again, and
velocities are interpolated and freed of what would stretch a link. A taut rope needs few links, a slack one many:
`AdaptiveElements` lets a simulation have as many as it needs [Mastrogiuseppe 2023, sec. 4.1.4].
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


@kind("adaptive-elements")
class AdaptiveElements(Part):
    """As many links as the bends of a rope ask for, between two numbers; doubled and halved, so that few are compiled.

    Every so often (twenty times a simulation) the sharpest bend is looked at. Links are halved only where half of
    them would do with a third to spare, so that a rope at the border does not change all the time.
    """

    angle: float = constant("rad", "largest bend of a joint", default=0.1, above=0.0)
    least: int = count("fewest links", default=5, at_least=2)
    most: int = count("most links; records have that many", default=80, at_least=2)

    def __check_init__(self):
        if self.most < self.least:
            raise ParameterError(
                f"AdaptiveElements.most: got {self.most}; must be {self.least} or more, the fewest"
            )

    def wanted(self, chain: LinkChain, x: Any) -> int:
        """How many links the rope should have from here on."""
        needed = links_needed(x, chain, angle=self.angle, least=1, most=self.most)
        rungs = [self.least]
        while rungs[-1] < self.most:
            rungs.append(min(2 * rungs[-1], self.most))
        enough = next(n for n in rungs if n >= needed)
        roomy = next((n for n in rungs if n >= 1.5 * needed), self.most)
        return enough if enough > chain.n else min(roomy, chain.n)

    def shown(self, record: dict[str, jax.Array], n: int) -> dict[str, jax.Array]:
        """A record of a chain of n links as one of `most` links: places between nodes, tensions of the links."""
        at, old = jnp.linspace(0.0, 1.0, self.most + 1), jnp.linspace(0.0, 1.0, n + 1)
        places = jnp.stack([jnp.interp(at, old, row) for row in record["node_position"]])
        middle = 0.5 * (at[1:] + at[:-1])
        tension = record["tension"][jnp.clip((middle * n).astype(int), 0, n - 1)]
        return record | {"node_position": places, "tension": tension, "link_count": jnp.asarray(float(n))}
