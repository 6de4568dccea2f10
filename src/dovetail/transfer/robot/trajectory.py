r"""Tool paths: a straight line for the position, the shortest rotation for the orientation.

In contact a tool must move along a straight line; with joint-space interpolation the penetration can be larger between
two points than at both. Position and orientation have one motion profile :math:`s(t)` from 0 to 1:

.. math:: x = x_0 + s\,(x_t - x_0), \qquad
          q = \frac{\sin((1-s)\Omega)\,q_0 + \sin(s\Omega)\,q_t}{\sin\Omega}, \quad \Omega = \arccos(q_0\cdot q_t)

Profiles: `lspb`, linear segment with parabolic blends, with the constant speed
:math:`\dot s = 1/(t_{ex} - t_r)` between two ramps of duration :math:`t_r`; `cubic`, :math:`3\tau^2 - 2\tau^3`;
`linear`, constant speed, for motion that does not stop between steps.
Source: [Bolien 2018, eqs 3.1 to 3.4, with 3.3 corrected: s must reach 1].
"""

from __future__ import annotations

import itertools
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, Part, Time, choice, parameter
from dovetail.mechanics.spatial import quaternion

POSE_AXES = 6  # position [m] and rotation vector [rad]


class MotionProfile(Part):
    """Motion profile of a move: path fraction from 0 to 1 over the move time, constant afterwards."""

    ONE_KIND: ClassVar[bool] = True

    profile: str = choice(
        "lspb", "cubic", "linear", about="acceleration and deceleration of a move", default="lspb"
    )
    ramp_fraction: Parameter = parameter(
        "1", "lspb: duration of each ramp as a fraction of the move time", default=0.1, above=0.0, at_most=0.5
    )

    def __call__(self, tau: jax.Array) -> jax.Array:
        """Return the path fraction at the fraction `tau` of the move time."""
        tau = jnp.clip(tau, 0.0, 1.0)
        if self.profile == "linear":
            return tau
        if self.profile == "cubic":
            return tau**2 * (3 - 2 * tau)
        speed = 1 / (1 - self.ramp_fraction)
        rise = 0.5 * speed * tau**2 / self.ramp_fraction
        fall = 1 - 0.5 * speed * (1 - tau) ** 2 / self.ramp_fraction
        between = speed * (tau - 0.5 * self.ramp_fraction)
        return jnp.where(
            tau < self.ramp_fraction, rise, jnp.where(tau > 1 - self.ramp_fraction, fall, between)
        )

    def speed(self, tau: Time) -> jax.Array:
        """Return the rate of the path fraction with respect to `tau`; zero after the end."""
        inside = (tau >= 0) & (tau < 1)
        return jnp.where(
            inside, jax.grad(lambda s: self(s))(jnp.clip(jnp.asarray(tau, float), 0.0, 1.0)), 0.0
        )


def slerp(q0: Float[Array, "4"], q1: Float[Array, "4"], s: Time) -> Float[Array, "4"]:
    """Return the spherical linear interpolation of unit quaternions along the shorter arc."""
    dot = jnp.sum(q0 * q1)
    q1 = jnp.where(dot < 0, -q1, q1)
    dot = jnp.minimum(jnp.abs(dot), 1.0)
    # the sine is computed from the difference, which is accurate also for nearly equal quaternions
    sine = jnp.linalg.norm(q1 - dot * q0)
    omega = jnp.arctan2(sine, dot)
    near = omega < 1e-6
    safe = jnp.where(near, 1.0, jnp.sin(jnp.where(near, 1.0, omega)))
    a = jnp.where(near, 1 - s, jnp.sin((1 - s) * omega) / safe)
    b = jnp.where(near, s, jnp.sin(s * omega) / safe)
    return quaternion.normalise(a * q0 + b * q1)


def interpolate_pose(
    start: Float[Array, "*axes"], target: Float[Array, "*axes"], s: jax.Array
) -> Float[Array, "*axes"]:
    """Return the pose, or the vector of independent axes, at the path fraction `s`.

    Six values are a pose: a position [m] and a rotation vector [rad]. Other vectors are interpolated axis by axis. At
    s = 1 the result is exactly the target.
    """
    straight = start + s * (target - start)
    if start.shape == (POSE_AXES,):
        q0, q1 = quaternion.from_vector(start[3:]), quaternion.from_vector(target[3:])
        rotation = quaternion.to_vector(slerp(q0, q1, s))
        straight = jnp.concatenate([straight[:3], rotation])
    return jnp.where(s >= 1.0, target, straight)


def pose_distance(
    a: Float[Array, "*axes"], b: Float[Array, "*axes"]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the distance [m] and the rotation angle [rad] between two poses.

    For independent axes the first is the Euclidean norm and the second is zero.
    """
    if a.shape != (POSE_AXES,):
        return jnp.sqrt(jnp.sum(jnp.square(a - b))), jnp.zeros(())
    qa, qb = quaternion.from_vector(a[3:]), quaternion.from_vector(b[3:])
    turn = quaternion.to_vector(quaternion.multiply(quaternion.conjugate(qa), qb))
    return jnp.sqrt(jnp.sum(jnp.square(a[:3] - b[:3]))), jnp.sqrt(jnp.sum(jnp.square(turn)))


class Segment(eqx.Module):
    """Move from a start to a target in a given time."""

    start: jax.Array
    target: jax.Array
    duration: jax.Array  # [s]
    motion_profile: MotionProfile

    def at(self, t: Time) -> jax.Array:
        """Return the reference at t [s] after the start."""
        fraction = jnp.where(self.duration > 0, t / jnp.where(self.duration > 0, self.duration, 1.0), 1.0)
        return interpolate_pose(self.start, self.target, self.motion_profile(fraction))


class Polyline(eqx.Module):
    """Path of several straight sections, run as one motion without stops between them.

    The motion profile covers the total length; a rotation contributes its angle times `radius`.
    """

    points: jax.Array  # (n, axes), the first is the start
    duration: jax.Array  # [s]
    motion_profile: MotionProfile
    radius: float = 0.3  # [m]

    @property
    def target(self) -> jax.Array:
        """Last point."""
        return self.points[-1]

    def at(self, t: Time) -> jax.Array:
        """Return the reference at t [s] after the start."""
        sections = [pose_distance(a, b) for a, b in itertools.pairwise(self.points)]
        lengths = jnp.stack([distance + self.radius * angle for distance, angle in sections])
        ends = jnp.cumsum(lengths)
        position = self.motion_profile(t / self.duration) * ends[-1]
        section = jnp.minimum(jnp.searchsorted(ends, position, side="right"), len(sections) - 1)
        size = jnp.where(lengths[section] > 0, lengths[section], 1.0)
        fraction = (position - (ends[section] - lengths[section])) / size
        fraction = jnp.where(lengths[section] > 0, jnp.clip(fraction, 0.0, 1.0), 1.0)
        return interpolate_pose(self.points[section], self.points[section + 1], fraction)
