r"""Directions of hose links by two angles, and the angles' second rates from the nodes' accelerations.

Axes of the tanker: x forward, y to starboard, z down. A link's direction points up the hose,

.. math:: n = (\cos\theta_y\cos\theta_z,\ \sin\theta_z,\ -\sin\theta_y\cos\theta_z), \qquad p = r_k - r_{k-1} = -l n

so a positive :math:`\theta_y` hangs below the tow point. The tangents :math:`e_y = \partial p/\partial\theta_y` and
:math:`e_z` are orthogonal, hence the angles' second rates decouple:

.. math::

    \ddot\theta_y &= \frac{\ddot p\cdot e_y}{l^2\cos^2\theta_z} - 2\frac{\dot l}{l}\dot\theta_y
                     + 2\tan\theta_z\,\dot\theta_y\dot\theta_z \\
    \ddot\theta_z &= \frac{\ddot p\cdot e_z}{l^2} - 2\frac{\dot l}{l}\dot\theta_z
                     - \sin\theta_z\cos\theta_z\,\dot\theta_y^2

Singular at :math:`\theta_z = \pm\pi/2`, which a trailing hose never reaches. Source: [Bolien 2018, sec. 3.5,
eqs 3.6 to 3.31], whose eqs 3.16, 3.17 and 3.26 are garbled in print and were derived anew.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.mechanics.chain.base import dot


def direction(angles: jax.Array) -> jax.Array:
    """Unit vectors (3, n) up the hose, from the angles (2, n): about y, about z."""
    y, z = angles
    return jnp.stack([jnp.cos(y) * jnp.cos(z), jnp.sin(z), -jnp.sin(y) * jnp.cos(z)])


def angles_of(n: jax.Array) -> jax.Array:
    """The angles (2, ...) of unit vectors (3, ...)."""
    return jnp.stack([jnp.arctan2(-n[2], n[0]), jnp.arcsin(jnp.clip(n[1], -1.0, 1.0))])


def tangents(angles: jax.Array, l: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Derivatives (3, n) [m] of the link vector p = -l n by either angle."""
    y, z = angles
    cy, sy, cz, sz = jnp.cos(y), jnp.sin(y), jnp.cos(z), jnp.sin(z)
    return l * jnp.stack([sy * cz, jnp.zeros_like(y), cy * cz]), l * jnp.stack([cy * sz, -cz, -sy * sz])


def link_velocity(angles: jax.Array, rates: jax.Array, l: jax.Array, l_rate: jax.Array) -> jax.Array:
    """Rate (3, n) [m/s] of the link vectors."""
    e_y, e_z = tangents(angles, l)
    return e_y * rates[0] + e_z * rates[1] - l_rate * direction(angles)


def turn_rate(angles: jax.Array, rates: jax.Array) -> jax.Array:
    """Rate (3, n) [1/s] of the directions n."""
    e_y, e_z = tangents(angles, jnp.ones_like(angles[0]))
    return -(e_y * rates[0] + e_z * rates[1])


def angle_accelerations(
    relative: jax.Array, angles: jax.Array, rates: jax.Array, l: jax.Array, l_rate: jax.Array
) -> jax.Array:
    """Second rates (2, n) of the angles from p'' (3, n), the far node's acceleration less the near one's."""
    e_y, e_z = tangents(angles, l)
    y_rate, z_rate = rates
    cz, sz = jnp.cos(angles[1]), jnp.sin(angles[1])
    shrink = 2 * l_rate / l
    y = dot(relative, e_y) / (l * cz) ** 2 - shrink * y_rate + 2 * sz / cz * y_rate * z_rate
    z = dot(relative, e_z) / l**2 - shrink * z_rate - sz * cz * y_rate**2
    return jnp.stack([y, z])


def spin(angles: jax.Array, rates: jax.Array, seconds: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Angular velocity and acceleration, (3,) each, of a link's axes, in these axes, from (2,) angles and rates."""
    cz, sz = jnp.cos(angles[1]), jnp.sin(angles[1])
    (y1, z1), (y2, z2) = rates, seconds
    return jnp.stack([sz * y1, cz * y1, z1]), jnp.stack([sz * y2 + cz * y1 * z1, cz * y2 - sz * y1 * z1, z2])


def rotation(angles: jax.Array) -> jax.Array:
    """Rotation (3, 3) from a link's axes to the tanker's, R_Y R_Z: its first column is the direction."""
    y, z = angles
    cy, sy, cz, sz = jnp.cos(y), jnp.sin(y), jnp.cos(z), jnp.sin(z)
    zero = jnp.zeros_like(y)
    return jnp.stack(
        [jnp.stack([cy * cz, -cy * sz, sy]), jnp.stack([sz, cz, zero]), jnp.stack([-sy * cz, sy * sz, cy])]
    )
