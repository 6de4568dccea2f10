r"""Twists and wrenches of rigid bodies, and the motion of frames.

A twist holds the velocity of a point of the body and its angular velocity; a wrench a force and its moment
about a point. They are shifted from point P to point Q of the same body, with r the position of Q from P:

.. math:: v_Q = v_P + \omega\times r, \qquad \tau_Q = \tau_P - r\times f

so the power :math:`f\cdot v + \tau\cdot\omega` is the same at both points.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.mechanics.spatial.pose import Pose


class Twist(eqx.Module):
    """Velocity of a point [m/s] and angular velocity [rad/s], in one frame."""

    v: jax.Array
    w: jax.Array

    def shift(self, r: jax.Array) -> Twist:
        """Return the twist of the body's point at `r` [m] from this one, in the same frame."""
        return Twist(self.v + jnp.cross(self.w, r), self.w)

    def reexpress(self, R: jax.Array) -> Twist:
        """Return the twist in another frame; R rotates vectors from this frame to that frame."""
        return Twist(R @ self.v, R @ self.w)


class Wrench(eqx.Module):
    """Force [N] and moment [N m] about a point, in one frame."""

    f: jax.Array
    tau: jax.Array

    def shift(self, r: jax.Array) -> Wrench:
        """Return the wrench about the point at `r` [m] from this one, in the same frame."""
        return Wrench(self.f, self.tau - jnp.cross(r, self.f))

    def reexpress(self, R: jax.Array) -> Wrench:
        """Return the wrench in another frame; R rotates vectors from this frame to that frame."""
        return Wrench(R @ self.f, R @ self.tau)

    def power(self, twist: Twist) -> jax.Array:
        """Return the power [W] on a body with this twist, at the same point and in the same frame."""
        return jnp.sum(self.f * twist.v) + jnp.sum(self.tau * twist.w)

    def __neg__(self) -> Wrench:
        return Wrench(-self.f, -self.tau)

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.f + other.f, self.tau + other.tau)


def relative_twist(point: Twist, carrier: Twist, r: jax.Array) -> Twist:
    r"""Return the twist of a point relative to a rotating body.

    `r` [m] is the position of the point from the reference point of `carrier`; all vectors are in one frame. The
    velocity of the coincident point of the body, :math:`v_C + \omega_C\times r`, is subtracted. Without this
    transport term a point at rest on a rotating body would have a relative velocity.
    """
    coincident = carrier.shift(r)
    return Twist(point.v - coincident.v, point.w - carrier.w)


class MovingFrame(NamedTuple):
    """Specific force and angular motion of a moving frame, in its own axes, for motion relative to the frame."""

    specific_force: jax.Array  # (3,) [m/s^2] acceleration minus gravity
    angular_velocity: jax.Array  # (3,) [rad/s]
    angular_acceleration: jax.Array  # (3,) [rad/s^2]

    def inertial(self, p: jax.Array, v: jax.Array) -> jax.Array:
        r"""Return the inertial acceleration [m/s^2] to subtract from a body at p with relative velocity v.

        .. math:: f + \dot\omega\times p + 2\omega\times v + \omega\times(\omega\times p)
        """
        w = self.angular_velocity
        euler_term = jnp.cross(self.angular_acceleration, p)
        return self.specific_force + euler_term + jnp.cross(w, 2 * v + jnp.cross(w, p))


class FrameState(NamedTuple):
    """Pose, twist and acceleration of a frame at one time, in the axes of the fixed frame."""

    pose: Pose  # X_NS
    twist: Twist  # of the origin
    rate: Twist  # acceleration of the origin and angular acceleration

    def velocity(self, r: jax.Array) -> jax.Array:
        """Return the velocity of the point at r (3,) [m], given in the axes of the frame."""
        return self.twist.shift(self.pose.vector(r)).v

    def moving_frame(self, r: jax.Array, gravity: jax.Array | float = 0.0) -> MovingFrame:
        """Return the moving frame at the point r (3,) [m], with gravity [m/s^2] along -z."""
        R, w, dw = self.pose.R, self.twist.w, self.rate.w
        arm = R @ r
        acceleration = self.rate.v + jnp.cross(dw, arm) + jnp.cross(w, jnp.cross(w, arm))
        up = jnp.array([0.0, 0.0, 1.0]) * gravity
        return MovingFrame(R.T @ (acceleration + up), R.T @ w, R.T @ dw)
