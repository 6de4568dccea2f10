r"""Deck motion in six degrees of freedom: pose, velocity and acceleration of any point of a ship, in time.

Axes: x forward, y to port, z up, in an inertial frame N that travels with the ship's mean speed and heading. A motion
is six functions of time, surge, sway, heave [m] and roll, pitch, yaw [rad] (yaw first, then pitch, then roll; a
positive pitch has the bow down, a positive roll the port side up). Velocity and acceleration are its derivatives by
automatic differentiation, so a point of the deck obeys

.. math:: v_P = v_S + \omega\times r,\qquad a_P = a_S + \dot\omega\times r + \omega\times(\omega\times r)

to rounding. A motion is also a `FrameMotion`, so decks, devices and clamps ride on it; restricted to a plane it gives
sway, heave and roll.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.errors import ParameterError
from dovetail.mechanics.securing.motion import FrameMotion
from dovetail.mechanics.spatial import Pose, Twist, euler

NAMES = ("surge", "sway", "heave", "roll", "pitch", "yaw")
PLANAR = (1, 2, 3)  # sway, heave, roll


class PointMotion(NamedTuple):
    """A point fixed to the ship, seen from N, in its axes."""

    position: jax.Array  # [m]
    velocity: jax.Array  # [m/s]
    acceleration: jax.Array  # [m/s^2]


class DeckState(NamedTuple):
    """The ship at a time: where it is and how it moves, in axes of N."""

    pose: Pose  # X_NS
    twist: Twist  # of the ship's origin
    rate: Twist  # acceleration of the origin and angular acceleration


class DeckMotion(FrameMotion):
    """A ship that moves as prescribed. An author writes `displacement`."""

    axes: str = eqx.field(default="space", static=True, kw_only=True)  # what `pose` gives: "space" or "plane"

    def __check_init__(self):
        if self.axes not in ("space", "plane"):
            raise ParameterError(f'{type(self).__name__}.axes: got "{self.axes}"; one of space, plane')

    @abstractmethod
    def displacement(self, t: jax.Array) -> jax.Array:
        """Surge, sway, heave [m], roll, pitch, yaw [rad] at t [s], (6,)."""

    def pose(self, t: jax.Array) -> jax.Array:
        """What a platform asks for: all six in space, or sway, heave and roll in a plane."""
        whole = self.displacement(t)
        return whole if self.axes == "space" else whole[jnp.array(PLANAR)]

    def placed(self, t: jax.Array) -> Pose:
        """X_NS, where the ship is."""
        whole = self.displacement(t)
        return Pose.of_euler(whole[3:], whole[:3])

    def point(self, t: jax.Array, r: jax.Array) -> PointMotion:
        """Motion of the point at r (3,) [m] in the ship's axes."""
        return PointMotion(*_twice(lambda s: self.placed(s).point(jnp.asarray(r, float)), t))

    def felt(self, t: jax.Array, r: jax.Array, gravity: float = 9.81) -> jax.Array:
        """What an accelerometer on the deck would read (3,) [m/s^2], in the ship's axes: g up when at rest."""
        up = jnp.array([0.0, 0.0, gravity])
        return self.placed(t).R.T @ (self.point(t, r).acceleration + up)

    def state(self, t: jax.Array) -> DeckState:
        """Pose, twist and its rate."""

        def motion(s):
            whole, rates = _once(self.displacement, s)
            R = euler.to_matrix(whole[3:])
            return rates[:3], R @ euler.angular_velocity(whole[3:], rates[3:])

        (v, w), (a, alpha) = _once(motion, t)
        return DeckState(self.placed(t), Twist(v, w), Twist(a, alpha))

    def check_covers(self, duration: float) -> None:
        """Raise `ParameterError` if the motion ends before a run does."""
        if self.ends < duration - 1e-9:
            raise ParameterError(
                f"{type(self).__name__}: ends at {self.ends:g} s, before the run does at {duration:g} s; "
                f"give a longer record or a shorter run"
            )


def _once(f, t):
    t = jnp.asarray(t, float)
    return jax.jvp(f, (t,), (jnp.ones_like(t),))


def _twice(f, t):
    (value, rate), (_, bend) = _once(lambda s: _once(f, s), t)
    return value, rate, bend
