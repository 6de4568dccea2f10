"""Paths on which a rig is led to its start and to rest: no step in position, velocity or acceleration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

BRAKE = 0.1  # [s] at most, in which the rig is braked when a run ends


def least_jerk(s: jax.Array) -> jax.Array:
    """From 0 to 1 with the least jerk, at rest at both ends."""
    return s**3 * (10 - 15 * s + 6 * s**2)


def to_rest(p, v, rest, duration: float) -> Callable[[Any], jax.Array]:
    r"""From position `p` and velocity `v` to rest with no step in velocity or acceleration.

    Two quintics are added: the least jerk to the place of rest, and one that takes the velocity away within
    `BRAKE`, so that a fast rig does not swing out by more than :math:`0.2\,v` times that.
    """
    brake = min(duration, BRAKE)

    def path(t):
        s = jnp.minimum(t / brake, 1.0)
        swing = s - 6 * s**3 + 8 * s**4 - 3 * s**5  # slope 1 at the start; nothing, and at rest, at the end
        return p + least_jerk(t / duration) * (rest - p) + brake * v * swing

    return path
