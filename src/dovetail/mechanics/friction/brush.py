"""Rate-independent friction with bristles (Dahl's law)."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.friction.base import Friction, length, reversal


@kind("brush-friction")
class Brush(Friction):
    r"""Bristles that deflect over a presliding distance :math:`z_0` and then slide:

    .. math:: \dot z = -v - |v|\,z/z_0, \qquad F = \mu N z/z_0

    [Dahl 1968]. The force does not depend on the slip speed, so slow and fast tests give the same result. A body at
    rest sticks. Equals LuGre friction without damping and with equal coefficients.
    """

    has_bristles: ClassVar[bool] = True

    mu: Parameter = parameter("1", "friction coefficient", at_least=0.0, default=0.25)
    presliding_distance: Parameter = parameter("m", "presliding distance z_0", above=0.0, default=1e-3)

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return self.mu * jnp.ones_like(speed)

    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        relax = length(slip) / self.presliding_distance
        return self.mu * normal * z / self.presliding_distance, -slip - relax * z, relax

    def guards(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> jax.Array:
        return reversal(slip, z)
