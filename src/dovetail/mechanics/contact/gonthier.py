r"""Gonthier's contact law: exact for any restitution, and its usual approximation.

The motion :math:`m\ddot\delta + k\delta^n(1 + a\dot\delta) = 0` has a first integral, so the damping that
realises :math:`c_r` exactly is the root, with :math:`\Lambda = a\dot\delta_i`, of

.. math:: \frac{1 + \Lambda}{1 - \Lambda c_r} = e^{\Lambda(1 + c_r)}

[Gonthier 2007; Bondoky 2020, eqs 4.19 to 4.23], written there with :math:`d = \Lambda c_r`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("gonthier")
class Gonthier(DissipativeLaw):
    r"""Gonthier law, approximate, :math:`\Lambda = (1 - c_r^2)/c_r` from :math:`d \approx 1 - c_r^2`."""

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return (1 - restitution**2) / restitution


@kind("gonthier-exact")
class GonthierExact(DissipativeLaw):
    """Gonthier law, exact: the realised restitution equals the target."""

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return exact_damping_factor(restitution)


def exact_damping_factor(restitution: ValuesLike) -> jax.Array:
    r"""Return the :math:`\Lambda` that realises a restitution in (0, 1]; differentiable."""
    c = jnp.asarray(restitution, float)

    def excess(factor: jax.Array, c: jax.Array) -> jax.Array:
        return jnp.log1p(factor) - jnp.log1p(-factor * c) - factor * (1 + c)

    def halve(bracket: tuple[jax.Array, jax.Array], _: Any) -> tuple[tuple[jax.Array, jax.Array], None]:
        low, high = bracket
        middle = (low + high) / 2
        below = excess(middle, jax.lax.stop_gradient(c)) < 0
        return (jnp.where(below, middle, low), jnp.where(below, high, middle)), None

    fixed = jax.lax.stop_gradient(c)
    (low, high), _ = jax.lax.scan(halve, (jnp.zeros_like(c), 1 / fixed * jnp.ones_like(c)), None, length=80)
    root = jax.lax.stop_gradient((low + high) / 2)
    # one Newton step carries the derivative with respect to the restitution
    slope = 1 / (1 + root) + fixed / (1 - root * fixed) - (1 + fixed)
    safe = jnp.where(slope > 1e-6, slope, 1.0)
    newton = root - jnp.where(slope > 1e-6, excess(root, c) / safe, 0.0)
    near_one = 1.5 * (1 - c**2) / (1 + c**3)  # the loss is too small to resolve the root
    return jnp.where(1 - c < 1e-5, near_one, newton)
