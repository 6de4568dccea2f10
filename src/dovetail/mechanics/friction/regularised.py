"""Coulomb's law with a wide, smooth passage through rest."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.friction.base import Friction, length


@kind("regularised-friction")
class Regularised(Friction):
    r""":math:`F = \mu N\tanh(v/v_0)` against the slip: all of it well above :math:`v_0`, a damper well below.

    Kind to explicit methods; a body that should stick creeps at up to :math:`v_0`.
    """

    mu: jax.Array = parameter("1", "friction coefficient", at_least=0.0, default=0.25)
    full: jax.Array = parameter("m/s", "v_0, speed at which friction is all there", above=0.0, default=0.02)

    def coefficient(self, speed):
        return self.mu * jnp.tanh(speed / self.full)

    def act(self, normal, slip, z, slid=None):
        speed = length(slip)
        share = self.coefficient(speed) / jnp.where(speed > 0, speed, 1.0)
        share = jnp.where(speed > 0, share, self.mu / self.full)
        return -share * normal * slip, jnp.zeros_like(z), jnp.zeros_like(normal)
