"""What a spherical probe tip and the thing it meets know of each other: one nearest point."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax

from dovetail.core import Part


class Touch(eqx.Module):
    """The nearest approach of a ball to a surface, in the frame of the surface.

    `gap` is positive when they are apart and negative in contact: the penetration depth is -gap. `normal`
    points from the surface to the ball's centre: the direction in which the surface pushes.
    """

    gap: jax.Array  # [m]
    normal: jax.Array  # [1]
    on_surface: jax.Array  # [m] foot of the normal on the surface
    on_ball: jax.Array  # [m] point of the ball nearest to the surface
    zone: jax.Array  # number of the surface's part, where it has several

    @property
    def depth(self) -> jax.Array:
        """Penetration [m], positive in contact."""
        return -self.gap


class Cavity(Part):
    """A surface that a ball may touch, fixed in a frame D whose x axis points out of the mouth.

    A ball whose front has reached x = 0 is home; one beyond `mouth` has left.
    """

    @property
    @abstractmethod
    def mouth(self) -> jax.Array:
        """Where the cavity ends, as x [m]."""

    @abstractmethod
    def touch(self, centre: jax.Array, radius: jax.Array) -> Touch:
        """Nearest approach of a ball of `radius` [m] with its centre at `centre` [m] in D."""
