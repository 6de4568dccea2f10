"""Coulomb friction."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.friction.base import MemorylessFriction


@kind("coulomb-friction")
class Coulomb(MemorylessFriction):
    r"""Coulomb friction: :math:`F = \mu N` against the slip velocity."""

    mu: Parameter = parameter("1", "friction coefficient", at_least=0.0, default=0.25)

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return self.mu * jnp.ones_like(speed)
