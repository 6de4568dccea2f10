r"""Motion of a point relative to a rotating body: the motion of a six-axis interface.

With the body's rotation R and angular velocity w in its own axes, and a point at the position p in the body's axes,

.. math::

    p = R^{\mathsf T}(r - r_0), \qquad \dot p = R^{\mathsf T}(v - v_0) - w\times p, \qquad
    \ddot p = R^{\mathsf T}(a - a_0) - \dot w\times p - w\times(2\dot p + w\times p) .

Rotations are rotation vectors from an initial pose.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.mechanics.spatial.motion import FrameState
from dovetail.mechanics.spatial.pose import Pose
from dovetail.mechanics.spatial.rotation import logarithm


def relative_motion(
    body: FrameState,
    point: tuple[jax.Array, jax.Array, jax.Array],
    R: jax.Array,
    home: Pose,
    origin: Any = 0.0,
) -> tuple[Pose, dict[str, jax.Array]]:
    """Return the pose of a point in a body's axes, and its displacement, velocity and acceleration (6,) from `home`.

    Parameters
    ----------
    body : frame of the rotating body.
    point : position, velocity and acceleration, (3,) each, in the fixed axes.
    R : (3, 3) constant attitude of the moving point, in the fixed axes.
    home : initial pose, from which displacements are measured.
    origin : (3,) origin of the interface from the frame's origin, in the body's axes [m].
    """
    back = body.pose.R.T
    w, w_rate = back @ body.twist.w, back @ body.rate.w
    joint = (body.pose.p, body.twist.v, body.rate.v)
    r, v, a = (back @ (ours - theirs) for ours, theirs in zip(point, joint, strict=True))
    v = v - jnp.cross(w, r)
    a = a - jnp.cross(w_rate, r) - jnp.cross(w, 2 * v + jnp.cross(w, r))
    pose = Pose(back @ R, r - origin)
    phi = logarithm(home.R.T @ pose.R)
    turn, turn_rate = -home.R.T @ w, -home.R.T @ w_rate
    phi_1 = vector_rate(phi, turn)
    phi_2 = jax.jvp(vector_rate, (phi, turn), (phi_1, turn_rate))[1]
    return pose, {
        "displacement": jnp.concatenate([pose.p - home.p, phi]),
        "velocity": jnp.concatenate([v, phi_1]),
        "acceleration": jnp.concatenate([a, phi_2]),
    }


def vector_rate(phi: jax.Array, w: jax.Array) -> jax.Array:
    r"""Return the rate of a rotation vector for an angular velocity w (3,) in the fixed axes.

    .. math::

        \dot\phi = w - \tfrac12\phi\times w
            + \frac{1 - \frac\theta2\cot\frac\theta2}{\theta^2}\,\phi\times(\phi\times w)
    """
    square = phi @ phi
    small = square < 1e-2
    half = 0.5 * jnp.sqrt(jnp.where(small, 1.0, square))
    # the series' next term is 1e-13 there
    series = 1 / 12 + square * (1 / 720 + square * (1 / 30240 + square / 1209600))
    c = jnp.where(small, series, (1 - half / jnp.tan(half)) / jnp.where(small, 1.0, square))
    across = jnp.cross(phi, w)
    return w - 0.5 * across + c * jnp.cross(phi, across)
