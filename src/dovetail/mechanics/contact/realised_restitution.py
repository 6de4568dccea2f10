r"""Realised coefficient of restitution of contact laws of Hunt and Crossley's form, in closed form.

.. math:: \frac{1 + \Lambda}{1 - \Lambda e} = e^{\Lambda(1+e)}

From the first integral of :math:`m\ddot\delta + k\delta^n(1+\Lambda\dot\delta/\dot\delta_i) = 0`, so it does
not depend on mass, stiffness, exponent or speed. After [Gonthier 2007], here solved for e.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.mechanics.contact.normal_law import DissipativeLaw


@jax.jit
def realised_restitution(damping_factor: ArrayLike) -> jax.Array:
    r"""Return the realised restitution e for a :math:`\Lambda`, to 1e-9; differentiable."""
    factor = jnp.asarray(damping_factor, float)
    fixed = jax.lax.stop_gradient(jnp.maximum(factor, 1e-3))

    def excess(e: jax.Array, factor: jax.Array) -> jax.Array:
        return jnp.log1p(factor) - factor - jnp.log1p(-factor * e) - factor * e

    def halve(bracket: tuple[jax.Array, jax.Array], _: Any) -> tuple[tuple[jax.Array, jax.Array], None]:
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


def restitution_of_law(law: DissipativeLaw, impact_speed: float = 0.1) -> jax.Array:
    """Return the realised restitution of a law; the impact speed [m/s] matters only with a restitution law."""
    e: jax.Array = realised_restitution(
        law.damping_factor(law.target_restitution(jnp.asarray(impact_speed, float)))
    )
    return e
