r"""Friction with bristles that bend before they slip: sticking, presliding, Stribeck effect.

.. math::

    \dot{\mathbf z} = -\mathbf v - \frac{\sigma_0 |\mathbf v|}{g(|\mathbf v|)}\,\mathbf z, \qquad
    \mathbf F = N\,(\sigma_0 \mathbf z + \sigma_1 \dot{\mathbf z} - \sigma_2 \mathbf v), \qquad
    g(v) = \mu_1 + (\mu_0 - \mu_1)\,e^{-(v/v_S)^2}

[Canudas de Wit et al. 1995], per unit of normal force, with z as in `base`: against the slip. Steady slip gives
:math:`F = N(g + \sigma_2 v)`.

Bristles of micrometres follow a slip of a metre a second within a microsecond, at the rate :math:`r = \sigma_0|v|/g`,
which no step of a test resolves. So :math:`\dot z` is divided by :math:`1 + r\tau`: they follow within `follow`,
:math:`\tau`, at the soonest, to the same steady slip; where they stick nothing is changed. With 0 they are as
published, for an implicit method. With a mass m on them they swing at :math:`\sqrt{\sigma_0 N/m}`.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.friction.base import Friction, length


@kind("lugre-friction")
class LuGre(Friction):
    """Bristle friction; its state is the mean deflection z [m] of the bristles."""

    remembers: ClassVar[bool] = True

    stiffness: jax.Array = parameter("1/m", "bristle stiffness per normal force", above=0.0, default=1e5)
    damping: jax.Array = parameter("s/m", "bristle damping per normal force", at_least=0.0, default=100.0)
    viscous: jax.Array = parameter("s/m", "viscous friction per normal force", at_least=0.0, default=0.0)
    stiction: jax.Array = parameter("1", "coefficient at the onset of slip", above=0.0, default=0.35)
    sliding: jax.Array = parameter("1", "coefficient of fast slip", above=0.0, default=0.25)
    stribeck: jax.Array = parameter("m/s", "speed over which it falls", above=0.0, default=0.015)

    follow: jax.Array = parameter(
        "s", "shortest time in which the bristles follow a slip", at_least=0.0, default=5e-4
    )

    def steady(self, speed) -> jax.Array:
        """g(v), the coefficient of steady slip without the viscous part."""
        return self.sliding + (self.stiction - self.sliding) * jnp.exp(-((speed / self.stribeck) ** 2))

    def coefficient(self, speed):
        return self.steady(speed) + self.viscous * speed

    def act(self, normal, slip, z, slid=None):
        speed = length(slip)
        relax = self.stiffness * speed / self.steady(speed)
        slower = 1 / (1 + relax * self.follow)
        rate, relax = slower * (-slip - relax * z), slower * relax
        return normal * (self.stiffness * z + self.damping * rate - self.viscous * slip), rate, relax
