"""A hose that trails in its air: what every one has, its steady flight, its nodes and links and the drag on them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial

from dovetail.air.cylinder import CableDrag
from dovetail.air.drogue import TowedDrogue, unit
from dovetail.air.tanker import TankerAir
from dovetail.core import Flow, parameter
from dovetail.mechanics.chain.attitude import flown, towed
from dovetail.mechanics.chain.base import Chain, Loads
from dovetail.mechanics.chain.length import ContactReel, ReelLaw
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.mechanics.chain.trim import AtRest, at_rest

FAR = np.full(3, -1e6)  # [m] where a receiver disturbs nothing


class Trailed:
    """A trailing hose in a state: places r and velocities v of its nodes, directions u and lengths l of its links.

    All in the axes of what is towed; `tow` is the tow point's place, velocity and acceleration in those of flight.
    """

    def __init__(self, chain: LumpedChain, x: Any, tow: jax.Array, length: Any = None):
        s = chain.shape(x, length)
        self.r = towed(tow[0])[:, None] + chain.nodes(x, length).position
        self.v = towed(tow[1])[:, None] + jnp.concatenate([jnp.zeros((3, 1)), s.v], axis=1)
        self.u, self.l = s.n, s.size

    def drag(
        self, drag: CableDrag, air: TankerAir, t: Any, nozzle: Any, links: int
    ) -> tuple[jax.Array, jax.Array]:
        """Forces (3, n) [N] on the first `links` links, none on others, and the wind (3,) relative to the last node."""
        middle = 0.5 * (self.r[:, 1:] + self.r[:, :-1])[:, :links]
        moved = 0.5 * (self.v[:, 1:] + self.v[:, :-1])[:, :links]
        places = jnp.concatenate([middle, self.r[:, -1:]], axis=1)
        wind = towed(air.velocity(t, flown(places), nozzle))
        force = drag.forces(self.u[:, :links], self.l[:links], wind[:, :-1] - moved, air.stream()[1])
        rest = jnp.zeros((3, self.l.size - links))
        return jnp.concatenate([force, rest], axis=1), wind[:, -1] - self.v[:, -1]


class TrailingHose(Flow):
    """A hose behind a tanker with its drogue, in its air, on its reel."""

    large: ClassVar[bool] = True

    chain: Chain
    drag: CableDrag
    drogue: TowedDrogue = TowedDrogue()
    air: TankerAir = TankerAir(density=0.525)  # at 8000 m [Bolien 2018, sec. 3.5]
    reel: ReelLaw = ContactReel()
    tow_point: jax.Array = parameter("m", "in the tanker's frame", default=(-21.14, 0.0, 0.5))
    gravity: jax.Array = parameter("m/s^2", "gravity", default=9.81)

    @property
    @abstractmethod
    def loaded_chain(self) -> Any:
        """The chain as it flies steadily."""

    @abstractmethod
    def still_loads(self, x: Any) -> Loads:
        """What acts on the hose in a state, in steady flight."""

    @property
    def pull(self) -> jax.Array:
        """Drag and weight (3,) [N] of the drogue in steady flight, in the chain's axes."""
        return towed(self.drogue.pull(*self.air.stream(), self.gravity))

    def steady(self) -> AtRest:
        """The hose in steady flight, nothing reeled in."""
        return at_rest(self.loaded_chain, Partial(type(self).still_loads, self), unit(self.pull), what="hose")
