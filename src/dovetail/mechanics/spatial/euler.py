r"""Euler angles 3-2-1: roll, pitch, yaw, for input and output.

.. math:: R_{WB} = R_z(\psi)\,R_y(\theta)\,R_x(\varphi)

They are applied as yaw, then pitch about the new y, then roll about the new x. At a pitch of 90 degrees yaw and roll
are about the same axis: `from_matrix` then returns zero roll, and `rates` is infinite. Use a quaternion as state.
Source: [Bondoky 2020, sec. 6.3.1.2], where element (2, 2) of eq. 6.11 has a misprint.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.mechanics.spatial import quaternion

_LOCK = 1e-9  # cosine of the pitch below which yaw and roll are not distinguishable


def to_matrix(angles: jax.Array) -> jax.Array:
    """Return R_WB for roll, pitch, yaw [rad]."""
    angles = jnp.asarray(angles, float)
    sin, cos = jnp.sin(angles), jnp.cos(angles)
    (sf, st, sp), (cf, ct, cp) = ((a[..., 0], a[..., 1], a[..., 2]) for a in (sin, cos))
    rows = [  # written out: much cheaper than three matrix products
        [cp * ct, cp * sf * st - cf * sp, sf * sp + cf * cp * st],
        [ct * sp, cf * cp + sf * sp * st, cf * sp * st - cp * sf],
        [-st, ct * sf, cf * ct],
    ]
    return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def to_quaternion(angles: jax.Array) -> jax.Array:
    """Return q_WB for roll, pitch, yaw [rad]."""
    return quaternion.from_matrix(to_matrix(angles))


def from_matrix(R_WB: jax.Array) -> jax.Array:
    """Return roll, pitch, yaw [rad], with pitch in [-pi/2, pi/2]."""
    cos_pitch = jnp.hypot(R_WB[..., 0, 0], R_WB[..., 1, 0])
    locked = cos_pitch < _LOCK
    pitch = jnp.arctan2(-R_WB[..., 2, 0], cos_pitch)
    one = jnp.ones_like(pitch)
    roll = jnp.arctan2(jnp.where(locked, 0.0, R_WB[..., 2, 1]), jnp.where(locked, one, R_WB[..., 2, 2]))
    yaw = jnp.arctan2(
        jnp.where(locked, -R_WB[..., 0, 1], R_WB[..., 1, 0]),
        jnp.where(locked, R_WB[..., 1, 1], R_WB[..., 0, 0]),
    )
    return jnp.stack([roll, pitch, yaw], -1)


def rates(angles: jax.Array, w_WB_B: jax.Array) -> jax.Array:
    """Return the rates of roll, pitch, yaw [rad/s] for an angular velocity in B; infinite at 90 degrees pitch."""
    roll, pitch = angles[..., 0], angles[..., 1]
    p, q, r = w_WB_B[..., 0], w_WB_B[..., 1], w_WB_B[..., 2]
    turn = jnp.sin(roll) * q + jnp.cos(roll) * r
    return jnp.stack(
        [p + turn * jnp.tan(pitch), jnp.cos(roll) * q - jnp.sin(roll) * r, turn / jnp.cos(pitch)], -1
    )


def angular_velocity(angles: jax.Array, angle_rates: jax.Array) -> jax.Array:
    """Return the angular velocity in B [rad/s] for rates of roll, pitch, yaw; the inverse of `rates`."""
    roll, pitch = angles[..., 0], angles[..., 1]
    d_roll, d_pitch, d_yaw = angle_rates[..., 0], angle_rates[..., 1], angle_rates[..., 2]
    return jnp.stack(
        [
            d_roll - jnp.sin(pitch) * d_yaw,
            jnp.cos(roll) * d_pitch + jnp.sin(roll) * jnp.cos(pitch) * d_yaw,
            -jnp.sin(roll) * d_pitch + jnp.cos(roll) * jnp.cos(pitch) * d_yaw,
        ],
        -1,
    )
