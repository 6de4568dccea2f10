r"""What friction laws share: slip and normal force in, a force against the slip out.

Slip is a number (one direction) or a vector along the last axis; the force has its shape. At zero slip the
sign is smoothed over a small speed :math:`v_r`, so that the force is a smooth function:

.. math:: \mathbf{F} = -\mu(|\mathbf v|)\,N\,\frac{\mathbf v}{\sqrt{|\mathbf v|^2 + v_r^2}}

A regularised law does not hold a body on a slope: it creeps. Where sticking matters use `LuGre`.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, parameter


class Friction(Part):
    """A friction law without memory."""

    creep: jax.Array = parameter("m/s", "speed over which the sign is smoothed", above=0.0, default=1e-4)

    @abstractmethod
    def coefficient(self, speed) -> jax.Array:
        """Friction over normal force at a slip speed [m/s], zero or positive."""

    def force(self, normal, slip) -> jax.Array:
        """Friction force [N] on the body that moves with `slip` [m/s], pressed on with `normal` [N]."""
        slip = jnp.asarray(slip, float)
        square = jnp.sum(slip**2, -1, keepdims=True) if slip.ndim else slip**2
        smooth = jnp.sqrt(square + self.creep**2)
        normal = jnp.asarray(normal, float)
        normal = normal[..., None] if slip.ndim > normal.ndim else normal
        speed = jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)
        return -self.coefficient(speed) * normal * slip / smooth

    def dissipated_power(self, normal, slip) -> jax.Array:
        """Power [W] turned into heat, zero or positive."""
        product = -self.force(normal, slip) * jnp.asarray(slip, float)
        return jnp.sum(product, -1) if product.ndim else product
