r"""Bending stiffness and friction of the joints between links, from the links' directions.

A joint bends by the angle between two links, :math:`C = u_{k-1}\cdot u_k`. The curvature of the circle through
the ends of two links of length l gives the energy [Mastrogiuseppe 2023, sec. 3.3.1, and its rotation
invariant form]

.. math:: V = \frac{4 K}{l}\left[\left(\frac{1 + C}{2}\right)^{-1/2} - 1\right],

:math:`\tfrac12 (K/l)\theta^2` for small angles, infinite where the chain folds back on itself. Friction
dissipates :math:`\tfrac12 c\,|\dot u_k - \dot u_{k-1}|^2`. Both act on a link as a generalised force h on its
direction u, and so on its nodes as the couple of forces :math:`(h - u\,(u\cdot h))/l`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.mechanics.chain.base import after, before, dot


def bending_energy(u: Float[Array, "3 n"], l: Float[Array, " n"], stiffness: jax.Array) -> Float[Array, ""]:
    """Energy [J] of the joints of links of directions u (3, n), lengths l (n,); stiffness [N m^2], one or n - 1."""
    c = dot(u[:, 1:], u[:, :-1])
    return jnp.sum(4 * stiffness / _joint(l) * (jnp.sqrt(2 / (1 + c)) - 1))


def bending(u: Float[Array, "3 n"], l: Float[Array, " n"], stiffness: jax.Array) -> Float[Array, "3 n"]:
    """Generalised forces (3, n) [N m] on the directions by bending."""
    c = dot(u[:, 1:], u[:, :-1])
    r = jax.lax.rsqrt(0.5 * (1 + c))
    k = stiffness / _joint(l) * r * r * r
    k = jnp.concatenate([jnp.zeros(1), k])
    return k * before(u) + after(k) * after(u)


def friction(rate: Float[Array, "3 n"], damping: jax.Array) -> Float[Array, "3 n"]:
    """Generalised forces (3, n) [N m] on directions that change at `rate` (3, n) [1/s], by one damping or n - 1.

    Both joints of a link are written out: a difference of what one of them does is a pass of its own for the compiler.
    """
    c = jnp.concatenate([jnp.zeros(1), jnp.broadcast_to(damping, (rate.shape[1] - 1,))])
    return after(c) * (after(rate) - rate) - c * (rate - before(rate))


def last_friction(rate: Float[Array, "3 n"], damping: jax.Array) -> Float[Array, "3 n"]:
    """The same by friction of the last joint alone."""
    pull = damping * (rate[:, -1:] - rate[:, -2:-1])
    return jnp.concatenate([jnp.zeros((3, rate.shape[1] - 2)), pull, -pull], axis=1)


def friction_power(rate: Float[Array, "3 n"], damping: jax.Array) -> Float[Array, ""]:
    """Power [W] of the joints' friction, never positive."""
    return -jnp.sum(damping * (rate[:, 1:] - rate[:, :-1]) ** 2)


def link_forces(h: Float[Array, "3 n"], u: Float[Array, "3 n"], l: Float[Array, " n"]) -> Float[Array, "3 n"]:
    """Force (3, n) on the far node of each link, its reverse on the near one, by h on the directions."""
    return (h - u * dot(u, h)) / l


def _joint(l: Float[Array, " n"]) -> Float[Array, " n-1"]:
    """Length [m] that a joint stands for."""
    return 0.5 * (l[1:] + l[:-1])
