r"""What acts on a body besides its contacts: wind, rotor, ties.

A load sees the body in space (forward, port, up), also when it flies in a plane, and answers with a force and a
moment about the centre of gravity, in body axes.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, kind, parameter
from dovetail.core.name_lookup import linear
from dovetail.core.parameter import known
from dovetail.mechanics.motion.table import check_table


class BodyMotion(NamedTuple):
    """Motion of a body in space; vectors in body axes unless said otherwise."""

    rotation: jax.Array  # (3, 3) body to world
    position: jax.Array  # (3,) [m] in world axes
    velocity: jax.Array  # (3,) [m/s] of the centre of gravity
    spin: jax.Array  # (3,) [rad/s]
    offset: jax.Array  # (3,) [m] where the centre of gravity is in the axes of the data


class BodyLoad(Part):
    """Motion in; force [N] and moment [N m] on the body out."""

    @abstractmethod
    def act(self, t: jax.Array, motion: BodyMotion) -> tuple[jax.Array, jax.Array]:
        """Force and moment about the centre of gravity, in body axes."""

    @property
    def ends(self) -> float:
        """Time [s] until which it is given; infinite where it always is."""
        return float("inf")


@kind("given-force")
class GivenForce(BodyLoad):
    """A force at a point of the body, as a table in time; linear between rows. For tests of other parts."""

    times: jax.Array = parameter("s", "increasing")
    values: jax.Array = parameter("N", "one row (3,) for each time, in body axes")
    at: jax.Array = parameter("m", "point of attack, forward, port, up", default=(0.0, 0.0, 0.0))

    def __check_init__(self):
        if known(self.times, self.values):
            check_table("GivenForce", np.asarray(self.times), np.asarray(self.values))

    @property
    def ends(self) -> float:
        return float(self.times[-1])

    def act(self, t, motion):
        force = linear(self.times, self.values, t)
        return force, jnp.cross(self.at - motion.offset, force)
