r"""Axes of what is towed and axes of flight, and the attitude of a body that is the last link of a chain.

Chains that trail have x downstream, y down, z to starboard; aircraft have x forward, y to starboard, z down. A body at
the end points along its link: its x axis up the chain, turned about y by :math:`\theta_y` and then about z by
:math:`\theta_z`, without roll,

.. math:: n = (\cos\theta_y\cos\theta_z,\ \sin\theta_z,\ -\sin\theta_y\cos\theta_z)

so a positive :math:`\theta_y` hangs below its joint. They are the angles of `angles` counted from the stream,
:math:`\theta_y = \pi/2 - \varphi`, :math:`\theta_z = -\psi`. Source: [Bolien 2018, sec. 3.5, eqs 3.6 to 3.31].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.mechanics.chain.angles import angle_accelerations, angle_rates, angles
from dovetail.mechanics.spatial import FrameState, Pose, Twist


def flown(r: jax.Array | np.ndarray) -> jax.Array:
    """Vectors (3, ...) from downstream, down, starboard to forward, starboard, down; and back again."""
    return jnp.stack([-r[0], r[2], r[1]])


towed = flown  # its own inverse


def tilt(u: Float[Array, " 3 *n"]) -> Float[Array, " 2 *n"]:
    """Angles (2, ...) about y and about z of links of directions (3, ...) down the chain, in the axes of flight."""
    return jnp.stack([jnp.arctan2(u[2], -u[0]), -jnp.arcsin(jnp.clip(u[1], -1.0, 1.0))])


def rotation(angles: Float[Array, "2"]) -> Float[Array, "3 3"]:
    """Rotation (3, 3) from a link's axes to those of flight, R_Y R_Z: its first column points up the chain."""
    y, z = angles
    cy, sy, cz, sz = jnp.cos(y), jnp.sin(y), jnp.cos(z), jnp.sin(z)
    zero = jnp.zeros_like(y)
    return jnp.stack(
        [jnp.stack([cy * cz, -cy * sz, sy]), jnp.stack([sz, cz, zero]), jnp.stack([-sy * cz, sy * sz, cy])]
    )


def pointing(n: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Rotation (3, 3) from a link's axes to those of what is towed, from its direction n (3,) up the chain there."""
    cz = jnp.sqrt(1 - n[2] ** 2)
    cy, sy, sz, zero = -n[0] / cz, -n[1] / cz, n[2], 0 * cz
    return jnp.stack([n, jnp.stack([cy * sz, sy * sz, cz]), jnp.stack([-sy, cy, zero])], axis=1)


def spin(
    angles: Float[Array, "2"], rates: Float[Array, "2"], seconds: Float[Array, "2"]
) -> tuple[Float[Array, "3"], Float[Array, "3"]]:
    """Angular velocity and acceleration, (3,) each, of a link's axes, in these axes, from (2,) angles and rates."""
    cz, sz = jnp.cos(angles[1]), jnp.sin(angles[1])
    (y1, z1), (y2, z2) = rates, seconds
    return jnp.stack([sz * y1, cz * y1, z1]), jnp.stack([sz * y2 + cz * y1 * z1, cz * y2 - sz * y1 * z1, z2])


def tail(
    r: Float[Array, "3 nodes"], v: Float[Array, "3 nodes"], a: Float[Array, "3 nodes"]
) -> tuple[FrameState, jax.Array]:
    """A body that is a chain's last link: its frame in its joint, and its tilt (2,) [rad].

    From places, velocities and accelerations (3, n + 1) of the nodes in the axes of flight.
    """
    d, d_rate, d_rate2 = (towed(q[:, -1] - q[:, -2]) for q in (r, v, a))
    l = jnp.sqrt(d @ d)
    u = d / l
    stretch = u @ d_rate
    turn = (d_rate - stretch * u) / l
    phi, psi = angles(u)
    rates = angle_rates(phi, psi, turn)
    seconds = angle_accelerations(phi, psi, rates, (d_rate2 - 2 * stretch * turn) / l)
    own = tilt(flown(u))
    w, w_rate = spin(own, -jnp.stack(rates), -jnp.stack(seconds))
    R = rotation(own)
    # the axes turn with w, so what w is in the axes of flight changes as it does in its own
    return FrameState(Pose(R, r[:, -2]), Twist(v[:, -2], R @ w), Twist(a[:, -2], R @ w_rate)), own
