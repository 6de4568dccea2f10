r"""Attitude of a body that is the last link of a chain, in axes x forward, y to port, z up.

The body points along its link: its x axis points up the chain, rotated about y by :math:`\theta_y` and then about z by
:math:`\theta_z`, without roll,

.. math:: n = (\cos\theta_y\cos\theta_z,\ \sin\theta_z,\ -\sin\theta_y\cos\theta_z)

so with negative :math:`\theta_y` the body hangs below its joint. These are the angles of `angles` measured from the
stream, :math:`\theta_y = \varphi - \pi/2`, :math:`\theta_z = \psi`. Source: [Bolien 2018, sec. 3.5, eqs 3.6 to 3.31],
whose y axis points to starboard and z axis down.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.mechanics.chain.angles import angle_accelerations, angle_rates, angles
from dovetail.mechanics.spatial import FrameState, Pose, Twist


def tilt_angles(n: Float[Array, " 3 *k"]) -> Float[Array, " 2 *k"]:
    """Return angles (2, ...) about y and z of links with directions n (3, ...) up the chain."""
    return jnp.stack([jnp.arctan2(-n[2], n[0]), jnp.arcsin(jnp.clip(n[1], -1.0, 1.0))])


def link_rotation(n: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return the rotation (3, 3) from the axes of a link with direction n (3,) up the chain, R_Y R_Z."""
    cz = jnp.sqrt(1 - n[1] ** 2)
    cy, sy, sz, zero = n[0] / cz, -n[2] / cz, n[1], 0 * cz
    return jnp.stack([n, jnp.stack([-cy * sz, cz, sy * sz]), jnp.stack([sy, zero, cy])], axis=1)


def link_angular_motion(
    angles: Float[Array, "2"], rates: Float[Array, "2"], seconds: Float[Array, "2"]
) -> tuple[Float[Array, "3"], Float[Array, "3"]]:
    """Return angular velocity and acceleration, (3,) each, of a link in its own axes, from (2,) angles and rates."""
    cz, sz = jnp.cos(angles[1]), jnp.sin(angles[1])
    (y1, z1), (y2, z2) = rates, seconds
    return jnp.stack([sz * y1, cz * y1, z1]), jnp.stack([sz * y2 + cz * y1 * z1, cz * y2 - sz * y1 * z1, z2])


def last_link_frame(
    r: Float[Array, "3 nodes"], v: Float[Array, "3 nodes"], a: Float[Array, "3 nodes"]
) -> tuple[FrameState, jax.Array]:
    """Return the frame of the last link at its joint, and its tilt angles (2,) [rad].

    Inputs are positions, velocities and accelerations (3, n + 1) of the nodes.
    """
    d, d_rate, d_rate2 = (q[:, -1] - q[:, -2] for q in (r, v, a))
    l = jnp.sqrt(d @ d)
    u = d / l
    stretch = u @ d_rate
    turn = (d_rate - stretch * u) / l
    phi, psi = angles(u)
    rates = angle_rates(phi, psi, turn)
    seconds = angle_accelerations(phi, psi, rates, (d_rate2 - 2 * stretch * turn) / l)
    own = tilt_angles(-u)
    w, w_rate = link_angular_motion(own, jnp.stack(rates), jnp.stack(seconds))
    R = link_rotation(-u)
    # the link axes rotate with w, so w x w = 0: the rate of w is equal in link axes and fixed axes
    return FrameState(Pose(R, r[:, -2]), Twist(v[:, -2], R @ w), Twist(a[:, -2], R @ w_rate)), own
