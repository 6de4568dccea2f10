"""Hertz contact: elastic, no energy loss."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import NormalLaw


@kind("hertz")
class Hertz(NormalLaw):
    r"""Elastic contact, :math:`F = k\,\delta^n`, n = 3/2 for a sphere on a flat [Hertz 1882]."""

    def damping_force(self, depth, speed, impact_speed):
        return jnp.zeros_like(jnp.asarray(speed) * depth)
