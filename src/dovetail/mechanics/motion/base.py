r"""Motion models in six degrees of freedom: a free body or a prescribed frame motion.

A motion is six functions of time: x, y, z and roll, pitch, yaw (applied as yaw, then pitch, then roll). For a ship
in axes forward, port, up they are surge, sway and heave; positive pitch lowers the bow, positive roll lifts the port
side. Velocity and acceleration are derivatives by automatic differentiation, so a point of the frame satisfies

.. math:: v_P = v_S + \omega\times r,\qquad a_P = a_S + \dot\omega\times r + \omega\times(\omega\times r)

to rounding. Three numbers are a motion in the y-z plane with roll; the planar part of six numbers is sway, heave and
roll. Decks, securing devices, clamps, tow points and targets accept a motion from any source.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dovetail.core import Part, Time
from dovetail.core.errors import ParameterError
from dovetail.mechanics.spatial import FrameState, Pose, Twist, euler

NAMES = ("surge", "sway", "heave", "roll", "pitch", "yaw")


class MotionModel(Part):
    """Motion of a body in six degrees of freedom: free (`MassProperties`) or prescribed (`FrameMotion`)."""


class PointMotion(NamedTuple):
    """Motion of a point of a moving frame, in fixed axes."""

    position: jax.Array  # [m]
    velocity: jax.Array  # [m/s]
    acceleration: jax.Array  # [m/s^2]


class SupportMotion(Part):
    """Acceleration of a support, whose position and speed need no record: axes and air move with it."""

    @abstractmethod
    def acceleration(self, t: jax.Array) -> jax.Array:
        """Return the acceleration (3,) [m/s^2] at t [s]."""

    def point(self, t: jax.Array, r: jax.Array) -> PointMotion:
        """Return the motion of the point at r (3,) [m], given in the axes of the support."""
        r = jnp.asarray(r, float)
        return PointMotion(r, jnp.zeros_like(r), self.acceleration(t))


class FrameMotion(MotionModel, SupportMotion):
    """Prescribed frame motion. A subclass implements `pose`."""

    @abstractmethod
    def pose(self, t: jax.Array) -> jax.Array:
        """Return translations [m] and angles [rad] at t [s]: six in space, or three in a plane."""

    @property
    def valid_until(self) -> float:
        """Time [s] up to which the motion is defined; infinite if it has no end."""
        return float("inf")

    def spatial_pose(self, t: jax.Array) -> jax.Array:
        """Return all six translations and angles; a planar motion has zeros in the other three."""
        return to_spatial(self.pose(t))

    def planar_pose(self, t: jax.Array) -> jax.Array:
        """Return sway, heave and roll."""
        pose = self.pose(t)
        return pose if pose.shape[0] == 3 else pose[1:4]

    def pose_of_frame(self, t: jax.Array) -> Pose:
        """Return the pose X_NS of the frame."""
        motion = self.spatial_pose(t)
        return Pose.from_euler(motion[3:], motion[:3])

    def point(self, t: jax.Array, r: jax.Array) -> PointMotion:
        """Return the motion of the point at r (3,) [m], given in the axes of the frame."""
        return PointMotion(*_twice(lambda s: self.pose_of_frame(s).point(jnp.asarray(r, float)), t))

    def acceleration(self, t: jax.Array) -> jax.Array:
        return _twice(lambda s: self.spatial_pose(s)[:3], t)[2]

    def specific_force(self, t: jax.Array, r: jax.Array, gravity: float = 9.81) -> jax.Array:
        """Return the accelerometer reading (3,) [m/s^2] at r, in the axes of the frame: g along +z at rest."""
        return self.state(t).moving_frame(jnp.asarray(r, float), gravity).specific_force

    def state(self, t: jax.Array) -> FrameState:
        """Return pose, twist and acceleration of the frame."""

        def motion(s: jax.Array) -> tuple[jax.Array, jax.Array]:
            pose, rates = _once(self.spatial_pose, s)
            R = euler.to_matrix(pose[3:])
            return rates[:3], R @ euler.angular_velocity(pose[3:], rates[3:])

        (v, w), (a, alpha) = _once(motion, t)
        return FrameState(self.pose_of_frame(t), Twist(v, w), Twist(a, alpha))

    def check_covers(self, duration: float) -> None:
        """Raise `ParameterError` if the motion ends before the run."""
        if self.valid_until < duration - 1e-9:
            raise ParameterError(
                f"{type(self).__name__}: the motion ends at {self.valid_until:g} s, the run at {duration:g} s. "
                f"Use a longer record or a shorter run."
            )


def to_spatial(pose: jax.Array) -> jax.Array:
    """Return six numbers: sway, heave and roll of a plane padded with zeros; six numbers are returned unchanged."""
    return pose if pose.shape[0] == 6 else jnp.pad(pose, (1, 2))


def _once(f: Callable[[jax.Array], Any], t: Time) -> tuple[Any, Any]:
    t = jnp.asarray(t, float)
    return jax.jvp(f, (t,), (jnp.ones_like(t),))


def _twice(f: Callable[[jax.Array], jax.Array], t: Time) -> tuple[jax.Array, jax.Array, jax.Array]:
    (value, rate), (_, bend) = _once(lambda s: _once(f, s), t)
    return value, rate, bend
