r"""Normal force of a node in a surface: spring and damper, or any law of the contact library.

A law is evaluated for nodes that the bookkeeping says are in contact, also when a trial state has left the surface by a
hair: it must be smooth there, so that a step ends at the event and not inside a jump.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, choice, kind, parameter
from dovetail.mechanics.contact.normal_law import NormalLaw


class SurfaceNormal(Part):
    """Depth [m], speed of approach [m/s] and that speed at first touch in; force [N] on the node out."""

    @abstractmethod
    def force(self, depth: jax.Array, speed: jax.Array, impact_speed: jax.Array) -> jax.Array:
        """Force along the outward normal."""

    @abstractmethod
    def stored_energy(self, depth: jax.Array) -> jax.Array:
        """Elastic energy [J]."""


@kind("spring-damper-contact")
class SpringDamper(SurfaceNormal):
    r""":math:`F = K_p\delta + C_p\dot\delta` [Schock 2020, eq. 4.38].

    `pull = "none"` takes the pull away that it exerts on a node that leaves fast.
    """

    stiffness: jax.Array = parameter("N/m", "K_p", above=0.0)
    damping: jax.Array = parameter("N s/m", "C_p", at_least=0.0, default=0.0)
    pull: str = choice("none", "allowed", about="on a node that leaves", default="none")

    def force(self, depth, speed, impact_speed):
        total = self.stiffness * depth + self.damping * speed
        return jnp.maximum(total, 0.0) if self.pull == "none" else total

    def stored_energy(self, depth):
        return self.stiffness * depth**2 / 2


@kind("library-contact")
class LibraryContact(SurfaceNormal):
    """A law of the contact library, for example Hunt and Crossley's."""

    law: NormalLaw

    def force(self, depth, speed, impact_speed):
        return self.law.force(depth, speed, jnp.maximum(impact_speed, 1e-3))

    def stored_energy(self, depth):
        return self.law.stored_energy(depth)
