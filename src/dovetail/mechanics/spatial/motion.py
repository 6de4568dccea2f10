r"""Velocities and forces of rigid bodies: twists and wrenches, moved from point to point; frames in motion.

A twist holds the velocity of a point of the body and its angular velocity; a wrench a force and its moment
about a point. From point P to Q of the same body, with r the position of Q from P:

.. math:: v_Q = v_P + \omega\times r, \qquad \tau_Q = \tau_P - r\times f

so that power :math:`f\cdot v + \tau\cdot\omega` is the same at either.
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

    def at(self, r: jax.Array) -> Twist:
        """The twist of the body's point at `r` [m] from this one, in the same frame."""
        return Twist(self.v + jnp.cross(self.w, r), self.w)

    def expressed(self, R: jax.Array) -> Twist:
        """The same twist in another frame: R takes vectors from this frame to that one."""
        return Twist(R @ self.v, R @ self.w)


class Wrench(eqx.Module):
    """A force [N] and its moment [N m] about a point, in one frame."""

    f: jax.Array
    tau: jax.Array

    def at(self, r: jax.Array) -> Wrench:
        """The same load about the point at `r` [m] from this one, in the same frame."""
        return Wrench(self.f, self.tau - jnp.cross(r, self.f))

    def expressed(self, R: jax.Array) -> Wrench:
        """The same wrench in another frame: R takes vectors from this frame to that one."""
        return Wrench(R @ self.f, R @ self.tau)

    def power(self, twist: Twist) -> jax.Array:
        """Power [W] on a body with this twist, at the same point and in the same frame."""
        return jnp.sum(self.f * twist.v) + jnp.sum(self.tau * twist.w)

    def __neg__(self) -> Wrench:
        return Wrench(-self.f, -self.tau)

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.f + other.f, self.tau + other.tau)


def relative_twist(point: Twist, carrier: Twist, r: jax.Array) -> Twist:
    r"""Motion of a point as seen by an observer who rides on a turning carrier.

    `r` [m] is the point's position from the point that `carrier` belongs to; all in one frame. What is
    subtracted is the velocity of the carrier's point that coincides with it, :math:`v_C + \omega_C\times r`;
    without that transport term a body at rest on a turning carrier would seem to slide.
    """
    coincident = carrier.at(r)
    return Twist(point.v - coincident.v, point.w - carrier.w)


class Carrier(NamedTuple):
    """What a spot that is carried along feels, in its own axes: all that a body needs to be seen from there."""

    felt: jax.Array  # (3,) [m/s^2] acceleration less gravity
    turning: jax.Array  # (3,) [rad/s]
    turning_rate: jax.Array  # (3,) [rad/s^2]

    def inertial(self, p: jax.Array, v: jax.Array) -> jax.Array:
        r"""Acceleration [m/s^2] that a body at p with speed v seems to lack there.

        .. math:: f + \dot\omega\times p + 2\omega\times v + \omega\times(\omega\times p)
        """
        w = self.turning
        return self.felt + jnp.cross(self.turning_rate, p) + jnp.cross(w, 2 * v + jnp.cross(w, p))


class FrameState(NamedTuple):
    """A frame at a time: where it is, how it moves and how that changes, in the axes from which it is seen."""

    pose: Pose  # X_NS
    twist: Twist  # of its origin
    rate: Twist  # acceleration of the origin and angular acceleration

    def velocity(self, r: jax.Array) -> jax.Array:
        """Of its point at r (3,) [m] in its own axes."""
        return self.twist.at(self.pose.vector(r)).v

    def carrier(self, r: jax.Array, gravity: jax.Array | float = 0.0) -> Carrier:
        """What its spot at r (3,) [m] feels, with gravity [m/s^2] down along z."""
        R, w, dw = self.pose.R, self.twist.w, self.rate.w
        arm = R @ r
        acceleration = self.rate.v + jnp.cross(dw, arm) + jnp.cross(w, jnp.cross(w, arm))
        up = jnp.array([0.0, 0.0, 1.0]) * gravity
        return Carrier(R.T @ (acceleration + up), R.T @ w, R.T @ dw)
