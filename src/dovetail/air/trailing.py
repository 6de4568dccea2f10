"""A hose that trails in its air: its nodes and links, and the drag on them; all in the axes of what is towed."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.cylinder import CableDrag
from dovetail.air.stream import Stream
from dovetail.mechanics.chain.attitude import flown, towed
from dovetail.mechanics.chain.lumped import LumpedChain

FAR = np.full(3, -1e6)  # [m] where a receiver disturbs nothing


class Trailed:
    """A trailing hose: places r and velocities v of its nodes, directions u and lengths l of its links.

    `tow` is the tow point's place, velocity and acceleration in the axes of flight, one a row.
    """

    def __init__(self, chain: LumpedChain, x: Any, tow: jax.Array, length: Any = None):
        s = chain.shape(x, length)
        self.r = towed(tow[0])[:, None] + chain.nodes(x, length).position
        self.v = towed(tow[1])[:, None] + jnp.concatenate([jnp.zeros((3, 1)), s.v], axis=1)
        self.u, self.l = s.n, s.size

    def drag(
        self, drag: CableDrag, air: Stream, t: Any, nozzle: Any, links: int
    ) -> tuple[jax.Array, jax.Array]:
        """Forces (3, n) [N] on the first `links` links, none on others, and the wind (3,) relative to the last node."""
        middle = 0.5 * (self.r[:, 1:] + self.r[:, :-1])[:, :links]
        moved = 0.5 * (self.v[:, 1:] + self.v[:, :-1])[:, :links]
        places = jnp.concatenate([middle, self.r[:, -1:]], axis=1)
        wind = towed(air.velocity(t, flown(places), nozzle))
        force = drag.forces(self.u[:, :links], self.l[:links], wind[:, :-1] - moved, air.stream()[1])
        rest = jnp.zeros((3, self.l.size - links))
        return jnp.concatenate([force, rest], axis=1), wind[:, -1] - self.v[:, -1]
