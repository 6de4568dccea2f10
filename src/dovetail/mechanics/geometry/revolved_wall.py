r"""Wall of revolution with a piecewise linear meridian, and the ring at its rim: gaps to a point inside.

About the x axis of a frame, for a point at the depth :math:`\xi = -x` and the radius :math:`\eta` from the axis,

.. math:: g = (R(\xi) - \eta)\cos\beta, \qquad n = -\cos\beta\,e_r - \sin\beta\,e_x, \qquad \tan\beta = R'(\xi)

is the distance to the line of the section that contains the point; it is exact if the foot is in the same section. The
end sections are extended beyond the first and the last depth.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Wall(NamedTuple):
    """Position of a point relative to a wall."""

    gap: jax.Array  # [m]
    cosine: jax.Array  # of the slope: radial component of the normal, outwards
    sine: jax.Array  # of the slope: component of the normal along x
    section: jax.Array  # number of the section


def wall(depths: jax.Array, radii: jax.Array, xi: jax.Array, eta: jax.Array) -> Wall:
    """Return the gap to a wall of radii [m] at increasing depths [m], for a depth [m] and any number of radii [m]."""
    section = jnp.clip(jnp.searchsorted(depths, xi, side="right") - 1, 0, len(depths) - 2)
    slope = jnp.diff(radii)[section] / jnp.diff(depths)[section]
    cosine = 1 / jnp.sqrt(1 + slope**2)
    radius = radii[section] + slope * (xi - depths[section])
    return Wall((radius - eta) * cosine, cosine, slope * cosine, section)


def ring(depth: jax.Array, radius: jax.Array, tube: jax.Array, xi: jax.Array, eta: jax.Array) -> jax.Array:
    """Return the gap [m] to a ring with a tube radius [m] about the axis, and the normal along x and outwards, (3,)."""
    aft, outward = xi - depth, eta - radius
    far = jnp.sqrt(aft**2 + outward**2 + 1e-24)  # differentiable at the ring
    return jnp.stack([far - tube, -aft / far, outward / far])
