"""Nearest point of a spherical probe tip and a surface."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax

from dovetail.core import Part


class NearestPoint(eqx.Module):
    """Nearest point of a ball and a surface, in the frame of the surface.

    `gap` is positive without contact and negative in contact; the penetration is -gap. `normal` points from the surface
    to the centre of the ball; it is the direction of the contact force on the ball.
    """

    gap: jax.Array  # [m]
    normal: jax.Array  # [1]
    on_surface: jax.Array  # [m] nearest point of the surface
    on_ball: jax.Array  # [m] point of the ball nearest to the surface
    zone: jax.Array  # number of the surface's zone, if it has several

    @property
    def depth(self) -> jax.Array:
        """Penetration [m], positive in contact."""
        return -self.gap


class Cavity(Part):
    """Surface that a ball can touch, fixed in a frame D whose x axis points out of the mouth.

    A ball is fully inserted when its front reaches x = 0, and has left when it is beyond `mouth`.
    """

    @property
    @abstractmethod
    def mouth(self) -> jax.Array:
        """End of the cavity along x [m]."""

    @abstractmethod
    def touch(self, centre: jax.Array, radius: jax.Array) -> NearestPoint:
        """Return the nearest point for a ball of `radius` [m] with its centre at `centre` [m] in D."""
