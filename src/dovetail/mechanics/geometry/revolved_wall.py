r"""A wall of revolution whose meridian is piecewise straight, and the ring at its rim: their gaps to a point inside.

About the x axis of a frame, for a point at the depth :math:`\xi = -x` and the radius :math:`\eta` from the axis,

.. math:: g = (R(\xi) - \eta)\cos\beta, \qquad n = -\cos\beta\,e_r - \sin\beta\,e_x, \qquad \tan\beta = R'(\xi)

the distance to the line of the section in which the point is: exact where its foot lies in the same section. Before the
first depth and beyond the last the end sections go on.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Wall(NamedTuple):
    """Where a point is from a wall."""

    gap: jax.Array  # [m]
    cosine: jax.Array  # of the slope: radial part of the normal, outwards
    sine: jax.Array  # of the slope: part of the normal along x
    section: jax.Array  # number of the section


def wall(depths: jax.Array, radii: jax.Array, xi: jax.Array, eta: jax.Array) -> Wall:
    """Of radii [m] at growing depths [m], seen from a depth [m] and any number of radii [m]."""
    section = jnp.clip(jnp.searchsorted(depths, xi, side="right") - 1, 0, len(depths) - 2)
    slope = jnp.diff(radii)[section] / jnp.diff(depths)[section]
    cosine = 1 / jnp.sqrt(1 + slope**2)
    radius = radii[section] + slope * (xi - depths[section])
    return Wall((radius - eta) * cosine, cosine, slope * cosine, section)


def ring(depth: jax.Array, radius: jax.Array, tube: jax.Array, xi: jax.Array, eta: jax.Array) -> jax.Array:
    """Gap [m] to a ring of a tube [m] about the axis, and the normal's parts along x and outwards, (3,)."""
    aft, outward = xi - depth, eta - radius
    far = jnp.sqrt(aft**2 + outward**2 + 1e-24)  # differentiable in the ring itself
    return jnp.stack([far - tube, -aft / far, outward / far])
