r"""LuGre friction: sticking, presliding, Stribeck effect.

.. math::

    \dot{\mathbf z} = -\mathbf v - \frac{\sigma_0 |\mathbf v|}{g(|\mathbf v|)}\,\mathbf z, \qquad
    \mathbf F = N\,(\sigma_0 \mathbf z + \sigma_1 \dot{\mathbf z} - \sigma_2 \mathbf v), \qquad
    g(v) = \mu_1 + (\mu_0 - \mu_1)\,e^{-(v/v_S)^2}

[Canudas de Wit et al. 1995], per unit of normal force, with z opposite to the slip as in `base`. In steady slip
:math:`F = N(g + \sigma_2 v)`.

At a slip speed of 1 m/s, bristles with deflections of micrometres respond within a microsecond, at the rate
:math:`r = \sigma_0|v|/g`, which the step of a test does not resolve. Therefore :math:`\dot z` is divided by
:math:`1 + r\tau` with :math:`\tau` the `min_time_constant`. Steady slip and sticking do not change. Zero gives the
published law, for implicit methods. A mass m on the bristles oscillates at :math:`\sqrt{\sigma_0 N/m}`.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.friction.base import Friction, length, reversal


@kind("lugre-friction")
class LuGre(Friction):
    """LuGre bristle friction; its state is the mean bristle deflection z [m]."""

    has_bristles: ClassVar[bool] = True

    stiffness: Parameter = parameter("1/m", "bristle stiffness per normal force", above=0.0, default=1e5)
    damping: Parameter = parameter("s/m", "bristle damping per normal force", at_least=0.0, default=100.0)
    viscous: Parameter = parameter("s/m", "viscous friction per normal force", at_least=0.0, default=0.0)
    mu_static: Parameter = parameter("1", "coefficient at the onset of slip", above=0.0, default=0.35)
    mu_kinetic: Parameter = parameter("1", "coefficient of fast slip", above=0.0, default=0.25)
    stribeck_speed: Parameter = parameter(
        "m/s", "slip speed over which the coefficient decreases", above=0.0, default=0.015
    )

    min_time_constant: Parameter = parameter(
        "s", "smallest time constant of the bristle deflection", at_least=0.0, default=5e-4
    )

    def steady(self, speed: jax.Array) -> jax.Array:
        """Return g(v), the coefficient of steady slip without the viscous part."""
        return self.mu_kinetic + (self.mu_static - self.mu_kinetic) * jnp.exp(
            -((speed / self.stribeck_speed) ** 2)
        )

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return self.steady(speed) + self.viscous * speed

    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        speed = length(slip)
        relax = self.stiffness * speed / self.steady(speed)
        factor = 1 / (1 + relax * self.min_time_constant)
        rate, relax = factor * (-slip - relax * z), factor * relax
        return normal * (self.stiffness * z + self.damping * rate - self.viscous * slip), rate, relax

    def guards(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> jax.Array:
        return reversal(slip, z)
