"""Coulomb friction with a wide smooth transition at zero slip."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.friction.base import Friction, length


@kind("regularised-friction")
class Regularised(Friction):
    r""":math:`F = \mu N\tanh(v/v_0)` against the slip velocity: viscous below :math:`v_0`, Coulomb friction above.

    Suits explicit methods. A body that should stick slides at up to :math:`v_0`.
    """

    mu: Parameter = parameter("1", "friction coefficient", at_least=0.0, default=0.25)
    smoothing_speed: Parameter = parameter(
        "m/s", "v_0, slip speed above which friction is fully developed", above=0.0, default=0.02
    )

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return self.mu * jnp.tanh(speed / self.smoothing_speed)

    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        speed = length(slip)
        damping = self.coefficient(speed) / jnp.where(speed > 0, speed, 1.0)
        damping = jnp.where(speed > 0, damping, self.mu / self.smoothing_speed)
        return -damping * normal * slip, jnp.zeros_like(z), jnp.zeros_like(normal)
