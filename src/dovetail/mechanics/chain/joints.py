r"""Bending stiffness and friction of the joints between links, from the link directions.

The bending of a joint is the angle between two links, :math:`C = u_{k-1}\cdot u_k`. The curvature of the circle through
the ends of two links of length l gives the energy [Mastrogiuseppe 2023, sec. 3.3.1, and its rotation-invariant form]

.. math:: V = \frac{4 K}{l}\left[\left(\frac{1 + C}{2}\right)^{-1/2} - 1\right],

:math:`\tfrac12 (K/l)\theta^2` for small angles, infinite at a fold. Friction dissipates
:math:`\tfrac12 c\,|\dot u_k - \dot u_{k-1}|^2`. Both act on a link as a generalised force h on its direction u, and
on its nodes as a couple of forces :math:`(h - u\,(u\cdot h))/l`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.mechanics.chain.base import dot, next_column, previous_column


def bending_energy(u: Float[Array, "3 n"], l: Float[Array, " n"], stiffness: jax.Array) -> Float[Array, ""]:
    """Return the energy [J] of the joints for directions u (3, n), lengths l (n,), stiffness [N m^2] (one or n - 1)."""
    c = dot(u[:, 1:], u[:, :-1])
    return jnp.sum(4 * stiffness / _joint(l) * (jnp.sqrt(2 / (1 + c)) - 1))


def bending(u: Float[Array, "3 n"], l: Float[Array, " n"], stiffness: jax.Array) -> Float[Array, "3 n"]:
    """Return the generalised forces (3, n) [N m] of bending on the directions."""
    c = dot(u[:, 1:], u[:, :-1])
    r = jax.lax.rsqrt(0.5 * (1 + c))
    k = stiffness / _joint(l) * r * r * r
    k = jnp.concatenate([jnp.zeros(1), k])
    return k * previous_column(u) + next_column(k) * next_column(u)


def friction(rate: Float[Array, "3 n"], damping: jax.Array) -> Float[Array, "3 n"]:
    """Return the generalised forces (3, n) [N m] of friction for direction rates (3, n) [1/s]; one damping or n - 1.

    Both joints of a link are written out, which the compiler fuses into one pass.
    """
    c = jnp.concatenate([jnp.zeros(1), jnp.broadcast_to(damping, (rate.shape[1] - 1,))])
    return next_column(c) * (next_column(rate) - rate) - c * (rate - previous_column(rate))


def last_friction(rate: Float[Array, "3 n"], damping: jax.Array) -> Float[Array, "3 n"]:
    """Return the generalised forces of friction in the last joint only."""
    pull = damping * (rate[:, -1:] - rate[:, -2:-1])
    return jnp.concatenate([jnp.zeros((3, rate.shape[1] - 2)), pull, -pull], axis=1)


def friction_power(rate: Float[Array, "3 n"], damping: jax.Array) -> Float[Array, ""]:
    """Return the power [W] of joint friction, zero or negative."""
    return -jnp.sum(damping * (rate[:, 1:] - rate[:, :-1]) ** 2)


def link_forces(h: Float[Array, "3 n"], u: Float[Array, "3 n"], l: Float[Array, " n"]) -> Float[Array, "3 n"]:
    """Return the force (3, n) on the far node of each link for generalised forces h; the near node has the opposite."""
    return (h - u * dot(u, h)) / l


def _joint(l: Float[Array, " n"]) -> Float[Array, " n-1"]:
    """Return the length [m] represented by a joint."""
    return 0.5 * (l[1:] + l[:-1])
