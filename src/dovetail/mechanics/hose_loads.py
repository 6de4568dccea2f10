r"""What acts on the nodes of a hose and its drogue: weight, drag, bending, ball-joint friction, aero-moment, contact.

Hose drag by its parts along and across a link of length l in the relative wind :math:`V` at its middle,

.. math:: D = -\tfrac12\rho\,\pi d\,l\,c_t |V_t|V_t - \tfrac12\rho\,d\,l\,c_n|V_n|V_n

half to each end; the drogue's at its centre of mass. Moments act as couples of forces across a link. Sources:
[Bolien 2018, sec. 3.5 and table 1 of ch. 5], drag in the form of [Ro & Kamman 2010].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.mechanics.chain import joints
from dovetail.mechanics.chain.base import dot

TINY = 1e-12  # keeps roots differentiable in still air; far below any wind squared


def link_drag(n, l, wind, *, density, diameter, tangential, normal) -> jax.Array:
    """Drag (3, n) [N] of links of directions n (3, n) that move at `wind` (3, n) [m/s] through the air."""
    along = dot(wind, n) * n
    across = wind - along
    friction = jnp.pi * tangential * jnp.sqrt(dot(along, along) + TINY) * along
    pressure = normal * jnp.sqrt(dot(across, across) + TINY) * across
    return -0.5 * density * diameter * l * (friction + pressure)


def body_drag(wind, *, density, area, coefficient) -> jax.Array:
    """Drag (3,) [N] of a body that moves at `wind` (3,) [m/s] through the air."""
    return -0.5 * density * area * coefficient * jnp.sqrt(wind @ wind + TINY) * wind


def bending(n, l, stiffness) -> jax.Array:
    """Forces (3, n) on the far nodes, reversed on the near ones, by bending of the hose; none at the drogue."""
    down = -n[:, :-1]
    f = joints.link_forces(joints.bending(down, l[:-1], stiffness), down, l[:-1])
    return jnp.concatenate([f, jnp.zeros((3, 1))], axis=1)


def joint_friction(n, turn, l, damping) -> jax.Array:
    """Forces (3, n) on the far nodes, reversed on the near ones, by viscous friction in the ball joint."""
    h = jnp.zeros_like(n)
    relative = damping * (turn[:, -1] - turn[:, -2])
    h = (
        h.at[:, -1].add(relative).at[:, -2].add(-relative)
    )  # on the directions down the hose, which turn the other way
    return joints.link_forces(h, -n, l)


def restoring(n, l, reference, stiffness) -> jax.Array:
    """Force (3,) on the far node, reversed on the near one, of a moment [N m/rad] that turns n to `reference`."""
    cosine = jnp.clip(n @ reference, -1.0, 1.0)
    side = reference - cosine * n
    sine = jnp.sqrt(side @ side + TINY**2)
    angle = jnp.arctan2(sine, cosine)
    return (
        -stiffness * angle / sine * side / l
    )  # p = -l n: a push on the far node along -side turns n to +side


def couple(moment, l) -> jax.Array:
    """Force (3,) on the far node, reversed on the near one, of a moment (3,) about the near one, in the link's axes.

    Its part about the link is lost: twist is locked. Source: [Bolien 2018, eq. 3.5].
    """
    return jnp.stack([jnp.zeros_like(moment[0]), -moment[2] / l, moment[1] / l])
