r"""The coefficient of restitution that a law of Hunt and Crossley's form realises, in closed form.

.. math:: \frac{1 + \Lambda}{1 - \Lambda e} = e^{\Lambda(1+e)}

From the first integral of :math:`m\ddot\delta + k\delta^n(1+\Lambda\dot\delta/\dot\delta_i) = 0`, so it does
not depend on mass, stiffness, exponent or speed: after [Gonthier 2007], solved here for e instead.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.mechanics.contact.normal_law import Dissipative


@jax.jit
def realised_restitution(damping_factor) -> jax.Array:
    r"""Realised restitution e for a given :math:`\Lambda`; to 1e-9, differentiable."""
    factor = jnp.asarray(damping_factor, float)
    fixed = jax.lax.stop_gradient(jnp.maximum(factor, 1e-3))

    def excess(e, factor):
        return jnp.log1p(factor) - factor - jnp.log1p(-factor * e) - factor * e

    def halve(bracket, _):
        low, high = bracket
        middle = (low + high) / 2
        below = excess(middle, fixed) < 0
        return (jnp.where(below, middle, low), jnp.where(below, high, middle)), None

    start = (jnp.zeros_like(fixed), jnp.minimum(1.0, 1 / fixed))
    (low, high), _ = jax.lax.scan(halve, start, None, length=60)
    root = jax.lax.stop_gradient((low + high) / 2)
    slope = fixed**2 * root / (1 - fixed * root)
    newton = root - excess(root, jnp.maximum(factor, 1e-3)) / jnp.maximum(slope, 1e-300)
    series = 1 - 2 * factor / 3 + 4 * factor**2 / 9  # next term below 1e-9 where it is used
    return jnp.where(factor < 1e-3, series, newton)


def restitution_of_law(law: Dissipative, impact_speed: float = 0.1) -> jax.Array:
    """Realised restitution of a law at an impact speed [m/s] (which only matters with a restitution law)."""
    return realised_restitution(law.damping_factor(law.projected(jnp.asarray(impact_speed, float))))
