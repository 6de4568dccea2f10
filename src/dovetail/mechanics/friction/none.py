"""No friction."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.friction.base import Friction


@kind("no-friction")
class NoFriction(Friction):
    """Surface without friction."""

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return jnp.zeros_like(speed)

    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        return jnp.zeros_like(slip), jnp.zeros_like(z), jnp.zeros_like(normal)
