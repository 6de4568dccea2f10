r"""Loads on a body other than contact: wind, rotor, ties.

The input of a load is the motion of the body in space (forward, port, up), also for planar models. The output is
force and moment about the centre of gravity, in body axes.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.core.interpolation import interpolate
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.motion.table import check_table


class BodyMotion(NamedTuple):
    """Motion of a body in space; vectors in body axes unless stated otherwise."""

    rotation: jax.Array  # (3, 3) body to world
    position: jax.Array  # (3,) [m] in world axes
    velocity: jax.Array  # (3,) [m/s] of the centre of gravity
    spin: jax.Array  # (3,) [rad/s]
    offset: jax.Array  # (3,) [m] centre of gravity in the axes of the input data


class BodyLoad(Part):
    """Load on a body: motion in, force [N] and moment [N m] out."""

    @abstractmethod
    def act(self, t: jax.Array, motion: BodyMotion) -> tuple[jax.Array, jax.Array]:
        """Return force and moment about the centre of gravity, in body axes."""

    @property
    def valid_until(self) -> float:
        """Time [s] at which the load data end; infinite without limit."""
        return float("inf")


@kind("prescribed-force")
class PrescribedForce(BodyLoad):
    """Prescribed force at a point of the body, linearly interpolated from a time table; for tests of other parts."""

    times: Parameter = parameter("s", "times of the rows, increasing")
    values: Parameter = parameter("N", "force, one row (3,) for each time, in body axes")
    point: Parameter = parameter("m", "point of application, forward, port, up", default=(0.0, 0.0, 0.0))

    def __check_init__(self) -> None:
        if all_concrete(self.times, self.values):
            check_table("PrescribedForce", np.asarray(self.times), np.asarray(self.values))

    @property
    def valid_until(self) -> float:
        return float(self.times[-1])

    def act(self, t: jax.Array, motion: BodyMotion) -> tuple[jax.Array, jax.Array]:
        force = interpolate(self.times, self.values, t)
        return force, jnp.cross(self.point - motion.offset, force)
