"""Paths of a rig to its initial position and to rest, without a step in position, velocity or acceleration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

BRAKE_TIME = 0.1  # [s] longest time in which the velocity is removed at the end of a run


def minimum_jerk(s: jax.Array) -> jax.Array:
    """Return the minimum-jerk path from 0 to 1 at s in [0, 1], at rest at both ends."""
    return s**3 * (10 - 15 * s + 6 * s**2)


def path_to_rest(p: Any, v: Any, rest: Any, duration: Any) -> Callable[[Any], jax.Array]:
    r"""Return the path from position `p` [m] and velocity `v` [m/s] to `rest` [m], smooth up to the acceleration.

    It is the sum of two quintics: the minimum-jerk path to the position of rest, and one that removes the velocity
    within `BRAKE_TIME`, so that the overshoot is at most :math:`0.2\,v` times that time.
    """
    brake = jnp.minimum(duration, BRAKE_TIME)

    def path(t: Any) -> jax.Array:
        s = jnp.minimum(t / brake, 1.0)
        overshoot = s - 6 * s**3 + 8 * s**4 - 3 * s**5  # slope 1 at the start; zero and at rest at the end
        return p + minimum_jerk(t / duration) * (rest - p) + brake * v * overshoot

    return path
