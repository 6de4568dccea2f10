r"""Friction with bristles that bend before they slip: sticking, presliding, Stribeck effect.

.. math::

    \dot{\mathbf z} = \mathbf v - \frac{\sigma_0 |\mathbf v|}{g(|\mathbf v|)}\,\mathbf z, \qquad
    \mathbf F = -N\,(\sigma_0 \mathbf z + \sigma_1 \dot{\mathbf z} + \sigma_2 \mathbf v), \qquad
    g(v) = \mu_1 + (\mu_0 - \mu_1)\,e^{-(v/v_S)^2}

[Canudas de Wit et al. 1995], per unit of normal force. z is the mean deflection of the bristles, a number or
a vector like the slip. Steady slip gives :math:`F = N(g + \sigma_2 v)`. Stiff: the bristles' rate is
:math:`\sigma_0 |v|/g`, and with a mass m on them :math:`\sqrt{\sigma_0 N/m}`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


@kind("lugre-friction")
class LuGre(Part):
    """Bristle friction; its state is the deflection z [m], zero at rest."""

    stiffness: jax.Array = parameter("1/m", "bristle stiffness per normal force", above=0.0, default=1e5)
    damping: jax.Array = parameter("s/m", "bristle damping per normal force", at_least=0.0, default=100.0)
    viscous: jax.Array = parameter("s/m", "viscous friction per normal force", at_least=0.0, default=0.0)
    stiction: jax.Array = parameter("1", "coefficient at the onset of slip", above=0.0, default=0.35)
    sliding: jax.Array = parameter("1", "coefficient of fast slip", above=0.0, default=0.25)
    stribeck: jax.Array = parameter("m/s", "speed over which it falls", above=0.0, default=0.015)

    def steady(self, speed) -> jax.Array:
        """g(v), the coefficient of steady slip without the viscous part."""
        return self.sliding + (self.stiction - self.sliding) * jnp.exp(-((speed / self.stribeck) ** 2))

    def rate(self, z, slip) -> jax.Array:
        """Rate of the deflection [m/s] at a slip [m/s]."""
        slip = jnp.asarray(slip, float)
        square = jnp.sum(slip**2, -1, keepdims=True) if slip.ndim else slip**2
        speed = jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)
        return slip - self.stiffness * speed / self.steady(speed) * z

    def force(self, normal, slip, z) -> jax.Array:
        """Friction force [N] on the body that moves with `slip`, pressed on with `normal` [N]."""
        slip = jnp.asarray(slip, float)
        normal = jnp.asarray(normal, float)
        normal = normal[..., None] if slip.ndim > normal.ndim else normal
        bent = self.stiffness * z + self.damping * self.rate(z, slip) + self.viscous * slip
        return -normal * bent
