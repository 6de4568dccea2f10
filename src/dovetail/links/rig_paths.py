"""Paths of a rig to its initial position and to rest, without a step in position, velocity or acceleration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.testing.limits import Limits
from dovetail.testing.motion_peaks import MotionPeaks

JERK_SPEED, JERK_ACCELERATION = 15 / 8, 10 / math.sqrt(3)  # peaks of the derivatives of the minimum-jerk path
OVERSHOOT, BRAKE_ACCELERATION = (
    0.2,
    3.94,
)  # peaks of the path that removes a velocity, and of its second derivative
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


def path_peaks(distance: np.ndarray, velocity: np.ndarray, duration: float) -> MotionPeaks:
    """Return bounds of the peaks of a path to rest from a distance [m] with a velocity [m/s], by axis."""
    brake = min(duration, BRAKE_TIME)
    return MotionPeaks(
        distance + OVERSHOOT * brake * velocity,
        JERK_SPEED * distance / duration + velocity,
        JERK_ACCELERATION * distance / duration**2 + BRAKE_ACCELERATION * velocity / brake,
        np.full_like(distance, np.nan),
    )


def path_forecast(limits: Limits, axes: int) -> str:
    """Return the largest motion of approach and return that the displacement and velocity limits permit."""
    distance, speed = (
        np.broadcast_to(np.asarray(limit), (axes,)) for limit in (limits.displacement, limits.velocity)
    )
    if not np.isfinite(distance).all():
        return "remark    approach and return are not bounded; set limits.displacement before the rig moves"
    times = {"approach": float(limits.approach_time), "return": float(limits.return_time)}
    far, moving = 2 * distance, np.where(np.isfinite(speed), speed, 0.0)
    paths = {
        "approach": path_peaks(far, 0 * moving, times["approach"]),
        "return": path_peaks(distance, moving, times["return"]),
    }
    lines = []
    for name, path in paths.items():
        exceeds = (path.velocity > speed + (moving if name == "return" else 0.0)) | (
            path.acceleration > np.asarray(limits.acceleration)
        )
        remark = f"; may exceed a limit: increase limits.{name}_time" if exceeds.any() else ""
        lines.append(f"{name:<9} in {times[name]:.3g} s, at most {path}{remark}")
    return "\n".join(lines)
