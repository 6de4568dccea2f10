"""Trailing hose in air: base class, steady flight, node and link kinematics, drag on the links."""

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
from dovetail.core import Flow, Parameter, parameter
from dovetail.mechanics.chain.attitude import to_flight_axes, to_towing_axes
from dovetail.mechanics.chain.base import Chain, ChainLoads
from dovetail.mechanics.chain.length import ContactReel, ReelLaw
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.mechanics.chain.trim import AtRest, at_rest

FAR = np.full(3, -1e6)  # [m] nozzle position with negligible bow wave


class HoseKinematics:
    """Kinematics of a trailing hose: node positions r and velocities v, link directions u and lengths l.

    All in towed axes (x downstream). `tow` is position, velocity and acceleration of the tow point in flight axes.
    """

    def __init__(self, chain: LumpedChain, x: Any, tow: jax.Array, length: Any = None):
        s = chain.shape(x, length)
        self.r = to_towing_axes(tow[0])[:, None] + chain.nodes(x, length).position
        self.v = to_towing_axes(tow[1])[:, None] + jnp.concatenate([jnp.zeros((3, 1)), s.v], axis=1)
        self.u, self.l = s.n, s.size

    def drag(
        self, drag: CableDrag, air: TankerAir, t: Any, nozzle: Any, links: int
    ) -> tuple[jax.Array, jax.Array]:
        """Forces (3, n) [N] on the first `links` links, zero on others, and the wind (3,) relative to the last node."""
        middle = 0.5 * (self.r[:, 1:] + self.r[:, :-1])[:, :links]
        velocity = 0.5 * (self.v[:, 1:] + self.v[:, :-1])[:, :links]
        positions = jnp.concatenate([middle, self.r[:, -1:]], axis=1)
        wind = to_towing_axes(air.velocity(t, to_flight_axes(positions), nozzle))
        force = drag.forces(self.u[:, :links], self.l[:links], wind[:, :-1] - velocity, air.stream()[1])
        zeros = jnp.zeros((3, self.l.size - links))
        return jnp.concatenate([force, zeros], axis=1), wind[:, -1] - self.v[:, -1]


class TrailingHose(Flow):
    """Base of hoses behind a tanker, with drogue, air and reel."""

    large: ClassVar[bool] = True

    chain: Chain
    drag: CableDrag
    drogue: TowedDrogue = TowedDrogue()
    air: TankerAir = TankerAir(density=0.525)  # at 8000 m [Bolien 2018, sec. 3.5]
    reel: ReelLaw = ContactReel()
    tow_point: Parameter = parameter(
        "m", "position of the tow point in the tanker's frame", default=(-21.14, 0.0, 0.5)
    )
    gravity: Parameter = parameter("m/s^2", "gravity", default=9.81)

    @property
    @abstractmethod
    def loaded_chain(self) -> Any:
        """Chain for steady flight."""

    @abstractmethod
    def steady_loads(self, x: Any) -> ChainLoads:
        """Loads on the hose in a state, for steady flight."""

    @property
    def pull(self) -> jax.Array:
        """Drag and weight (3,) [N] of the drogue in steady flight, in the chain's axes."""
        return to_towing_axes(self.drogue.pull(*self.air.stream(), self.gravity))

    def steady(self) -> AtRest:
        """Hose in steady flight at full length."""
        return at_rest(
            self.loaded_chain, Partial(type(self).steady_loads, self), unit(self.pull), what="hose"
        )
