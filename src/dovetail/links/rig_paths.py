"""Paths of a rig to the start of a test and back to rest, smooth in position, velocity and acceleration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

BRAKE = 0.1  # [s] largest braking time at the end of a run


def minimum_jerk(s: jax.Array) -> jax.Array:
    """Return the minimum-jerk path from 0 to 1, at rest at both ends."""
    return s**3 * (10 - 15 * s + 6 * s**2)


def path_to_rest(p, v, rest, duration: float) -> Callable[[Any], jax.Array]:
    r"""Return the path from position `p` and velocity `v` to rest, without steps in velocity or acceleration.

    The sum of two quintics: the minimum-jerk path to the rest position, and one that reduces the velocity to zero
    within `BRAKE`, so a fast rig overshoots by at most :math:`0.2\,v` times the braking time.
    """
    brake = min(duration, BRAKE)

    def path(t):
        s = jnp.minimum(t / brake, 1.0)
        swing = s - 6 * s**3 + 8 * s**4 - 3 * s**5  # slope 1 at the start; zero and at rest at the end
        return p + minimum_jerk(t / duration) * (rest - p) + brake * v * swing

    return path
