"""No friction."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.friction.base import Friction


@kind("no-friction")
class NoFriction(Friction):
    """A surface without friction."""

    def coefficient(self, speed):
        return jnp.zeros_like(speed)

    def act(self, normal, slip, z, slid=None):
        return jnp.zeros_like(slip), jnp.zeros_like(z), jnp.zeros_like(normal)
