r"""What moves a body in six degrees of freedom: it is free, or its frame is told where to be.

A motion is six functions of time: three lengths x, y, z and roll, pitch, yaw (yaw first, then pitch, then roll); of a
ship in axes forward, port, up they are surge, sway, heave, a positive pitch has the bow down, a positive roll the port
side up. Velocity and acceleration are its derivatives by automatic differentiation, so a point of the frame obeys

.. math:: v_P = v_S + \omega\times r,\qquad a_P = a_S + \dot\omega\times r + \omega\times(\omega\times r)

to rounding. Given three numbers it is a motion in the plane of y and z, with roll; where the plane is asked of six,
these are sway, heave and roll. So decks, devices, clamps, tow points and targets take a motion from any source.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import jax
import jax.numpy as jnp

from dovetail.core import Part
from dovetail.core.errors import ParameterError
from dovetail.mechanics.spatial import FrameState, Pose, Twist, euler

NAMES = ("surge", "sway", "heave", "roll", "pitch", "yaw")


class Mover(Part):
    """A body of six degrees of freedom: free (`MassProperties`), or moved as prescribed (`FrameMotion`)."""


class SupportMotion(Part):
    """Acceleration of a point from which something hangs."""

    @abstractmethod
    def acceleration(self, t: jax.Array) -> jax.Array:
        """(3,) [m/s^2] at t [s]."""


class PointMotion(NamedTuple):
    """A point of a moving frame, in the axes in which the frame is seen."""

    position: jax.Array  # [m]
    velocity: jax.Array  # [m/s]
    acceleration: jax.Array  # [m/s^2]


class FrameMotion(Mover, SupportMotion):
    """A frame that moves as prescribed. An author writes `pose`."""

    @abstractmethod
    def pose(self, t: jax.Array) -> jax.Array:
        """Translation [m] and angles [rad] at t [s]: six in space, or three in a plane."""

    @property
    def ends(self) -> float:
        """Time [s] until which it is known; infinite where it always is."""
        return float("inf")

    def space(self, t: jax.Array) -> jax.Array:
        """All six; what moves in a plane does not leave it."""
        return lifted(self.pose(t))

    def plane(self, t: jax.Array) -> jax.Array:
        """Sway, heave and roll."""
        own = self.pose(t)
        return own if own.shape[0] == 3 else own[1:4]

    def placed(self, t: jax.Array) -> Pose:
        """X_NS, where the frame is."""
        motion = self.space(t)
        return Pose.of_euler(motion[3:], motion[:3])

    def point(self, t: jax.Array, r: jax.Array) -> PointMotion:
        """Motion of the point at r (3,) [m] in the frame's axes."""
        return PointMotion(*_twice(lambda s: self.placed(s).point(jnp.asarray(r, float)), t))

    def acceleration(self, t):
        return _twice(lambda s: self.space(s)[:3], t)[2]

    def felt(self, t: jax.Array, r: jax.Array, gravity: float = 9.81) -> jax.Array:
        """What an accelerometer there would read (3,) [m/s^2], in the frame's axes: g up (along z) when at rest."""
        return self.state(t).carrier(jnp.asarray(r, float), gravity).felt

    def state(self, t: jax.Array) -> FrameState:
        """Pose, twist and its rate."""

        def motion(s):
            placed, rates = _once(self.space, s)
            R = euler.to_matrix(placed[3:])
            return rates[:3], R @ euler.angular_velocity(placed[3:], rates[3:])

        (v, w), (a, alpha) = _once(motion, t)
        return FrameState(self.placed(t), Twist(v, w), Twist(a, alpha))

    def check_covers(self, duration: float) -> None:
        """Raise `ParameterError` if the motion ends before a run does."""
        if self.ends < duration - 1e-9:
            raise ParameterError(
                f"{type(self).__name__}: ends at {self.ends:g} s, before the run does at {duration:g} s; "
                f"give a longer record or a shorter run"
            )


def lifted(pose: jax.Array) -> jax.Array:
    """Three numbers of a plane (sway, heave, roll) as six of space; six as they are."""
    return pose if pose.shape[0] == 6 else jnp.pad(pose, (1, 2))


def _once(f, t):
    t = jnp.asarray(t, float)
    return jax.jvp(f, (t,), (jnp.ones_like(t),))


def _twice(f, t):
    (value, rate), (_, bend) = _once(lambda s: _once(f, s), t)
    return value, rate, bend
