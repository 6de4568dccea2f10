"""Friction of a brush: it follows the way, not the time."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.friction.base import Friction, length


@kind("brush-friction")
class Brush(Friction):
    r"""Bristles that bend over a way :math:`z_0` and then slide:

    .. math:: \dot z = -v - |v|\,z/z_0, \qquad F = \mu N z/z_0

    [Dahl 1968]. It does not depend on the rate, and so is the same in a slow test as in a fast one; a body that rests
    on it sticks. LuGre's law without damping and without a fall from stiction.
    """

    remembers: ClassVar[bool] = True

    mu: jax.Array = parameter("1", "friction coefficient", at_least=0.0, default=0.25)
    way: jax.Array = parameter("m", "z_0, over which bristles bend", above=0.0, default=1e-3)

    def coefficient(self, speed):
        return self.mu * jnp.ones_like(speed)

    def act(self, normal, slip, z, slid=None):
        relax = length(slip) / self.way
        return self.mu * normal * z / self.way, -slip - relax * z, relax
