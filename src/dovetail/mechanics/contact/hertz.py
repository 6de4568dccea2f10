"""Hertz contact: elastic, no energy loss."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import NormalLaw, Values, ValuesLike


@kind("hertz")
class Hertz(NormalLaw):
    r"""Elastic contact, :math:`F = k\,\delta^n`, n = 3/2 for a sphere on a flat [Hertz 1882]."""

    def damping_force(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        return jnp.zeros_like(jnp.asarray(speed) * depth)
