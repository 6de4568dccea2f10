r"""Paths of a tool: a straight line for the position, the shortest turn for the orientation.

In contact a tool must take the shortest way in space; joint-space interpolation may press deeper on its way
than at either end. Position and orientation share one course :math:`s(t)` from 0 to 1:

.. math:: x = x_0 + s\,(x_t - x_0), \qquad
          q = \frac{\sin((1-s)\Omega)\,q_0 + \sin(s\Omega)\,q_t}{\sin\Omega}, \quad \Omega = \arccos(q_0\cdot q_t)

Courses: `lspb`, a straight line with parabolic blends, which runs at constant speed
:math:`\dot s = 1/(t_{ex} - t_r)` between two ramps of :math:`t_r`; `cubic`, :math:`3\tau^2 - 2\tau^3`; `line`, at
constant speed throughout, for motion that does not stop between steps.
Source: [Bolien 2018, eqs 3.1 to 3.4, with 3.3 put right: s has to reach 1].
"""

from __future__ import annotations

import itertools
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Part, choice, parameter
from dovetail.mechanics.spatial import quaternion

POSE_AXES = 6  # a position [m] and a rotation vector [rad]


class Course(Part):
    """How far a move has got, from 0 to 1, over its execution time; flat afterwards."""

    ONE_KIND: ClassVar[bool] = True

    form: str = choice("lspb", "cubic", "line", about="how the move speeds up and slows down", default="lspb")
    ramp: jax.Array = parameter(
        "1", "lspb: share of the time for each ramp", default=0.1, above=0.0, at_most=0.5
    )

    def __call__(self, tau) -> jax.Array:
        """Share of the way at the share `tau` of the execution time."""
        tau = jnp.clip(tau, 0.0, 1.0)
        if self.form == "line":
            return tau
        if self.form == "cubic":
            return tau**2 * (3 - 2 * tau)
        speed = 1 / (1 - self.ramp)
        rise = 0.5 * speed * tau**2 / self.ramp
        fall = 1 - 0.5 * speed * (1 - tau) ** 2 / self.ramp
        between = speed * (tau - 0.5 * self.ramp)
        return jnp.where(tau < self.ramp, rise, jnp.where(tau > 1 - self.ramp, fall, between))

    def speed(self, tau) -> jax.Array:
        """Rate of the course against `tau`; zero once it has ended."""
        inside = (tau >= 0) & (tau < 1)
        return jnp.where(
            inside, jax.grad(lambda s: self(s))(jnp.clip(jnp.asarray(tau, float), 0.0, 1.0)), 0.0
        )


def slerp(q0: Float[Array, "4"], q1: Float[Array, "4"], s) -> Float[Array, "4"]:
    """Spherical linear interpolation of unit quaternions along the shorter arc."""
    dot = jnp.sum(q0 * q1)
    q1 = jnp.where(dot < 0, -q1, q1)
    dot = jnp.minimum(jnp.abs(dot), 1.0)
    # the sine is found from the difference, which keeps its digits where the two nearly coincide
    sine = jnp.linalg.norm(q1 - dot * q0 + jnp.where(dot == 1.0, 1e-300, 0.0))
    omega = jnp.arctan2(sine, dot)
    near = omega < 1e-6
    safe = jnp.where(near, 1.0, jnp.sin(jnp.where(near, 1.0, omega)))
    a = jnp.where(near, 1 - s, jnp.sin((1 - s) * omega) / safe)
    b = jnp.where(near, s, jnp.sin(s * omega) / safe)
    return quaternion.normalised(a * q0 + b * q1)


def between(start: Float[Array, "*axes"], target: Float[Array, "*axes"], s) -> Float[Array, "*axes"]:
    """The pose, or the vector of independent axes, at the share `s` of the way.

    Six values are a pose: a position [m] and a rotation vector [rad]. Anything else is interpolated axis by
    axis. At s = 1 the answer is the target to the bit.
    """
    straight = start + s * (target - start)
    if start.shape == (POSE_AXES,):
        q0, q1 = quaternion.from_vector(start[3:]), quaternion.from_vector(target[3:])
        turned = quaternion.to_vector(slerp(q0, q1, s))
        straight = jnp.concatenate([straight[:3], turned])
    return jnp.where(s >= 1.0, target, straight)


def distance(a: Float[Array, "*axes"], b: Float[Array, "*axes"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """How far two poses are apart: [m], and the angle of the turn between them [rad].

    For independent axes the first is the Euclidean norm and the second zero.
    """
    if a.shape != (POSE_AXES,):
        return jnp.sqrt(jnp.sum(jnp.square(a - b))), jnp.zeros(())
    qa, qb = quaternion.from_vector(a[3:]), quaternion.from_vector(b[3:])
    turn = quaternion.to_vector(quaternion.multiply(quaternion.conjugate(qa), qb))
    return jnp.sqrt(jnp.sum(jnp.square(a[:3] - b[:3]))), jnp.sqrt(jnp.sum(jnp.square(turn)))


class Segment(eqx.Module):
    """One move: from where to where, in what time, by what course."""

    start: jax.Array
    target: jax.Array
    duration: jax.Array  # [s]
    course: Course

    def at(self, t) -> jax.Array:
        """Where the tool is to be at t [s] after the start."""
        share = jnp.where(self.duration > 0, t / jnp.where(self.duration > 0, self.duration, 1.0), 1.0)
        return between(self.start, self.target, self.course(share))


class Polyline(eqx.Module):
    """A path of several pieces run as one motion: it does not stop where two pieces meet.

    The course is spread over the whole length; a turn counts by its angle, at `radius` from the axis.
    """

    points: jax.Array  # (n, axes), the first is where it starts
    duration: jax.Array  # [s]
    course: Course
    radius: float = 0.3  # [m]

    @property
    def target(self) -> jax.Array:
        """Where it ends."""
        return self.points[-1]

    def at(self, t) -> jax.Array:
        """Where the tool is to be at t [s] after the start."""
        pieces = [distance(a, b) for a, b in itertools.pairwise(self.points)]
        lengths = jnp.stack([far + self.radius * turned for far, turned in pieces])
        ends = jnp.cumsum(lengths)
        done = self.course(t / self.duration) * ends[-1]
        piece = jnp.minimum(jnp.searchsorted(ends, done, side="right"), len(pieces) - 1)
        size = jnp.where(lengths[piece] > 0, lengths[piece], 1.0)
        share = (done - (ends[piece] - lengths[piece])) / size
        share = jnp.where(lengths[piece] > 0, jnp.clip(share, 0.0, 1.0), 1.0)
        return between(self.points[piece], self.points[piece + 1], share)
