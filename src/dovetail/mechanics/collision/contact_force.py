r"""Contact force of a moving convex body on a node, normal and tangential to the touched surface.

With the normal :math:`n` of the touched plane, the penetration :math:`\delta = r - (x' \cdot n - c)` of a node of
radius r at :math:`x'` in the body's frame, and the velocity of the surface at the nearest point,

.. math:: F = n\,F_n(\delta, \dot\delta) + F_t(F_n, v_t, z).

All pairs of node and body are one batch.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from dovetail.mechanics.contact import ImpactSpeedMemory, NormalLaw, contact_kinematics
from dovetail.mechanics.dimension import Dimension
from dovetail.mechanics.friction import Friction

IMPACT_MEMORY = ImpactSpeedMemory(min_speed=1e-3)  # a standing foot has no impact


class PairTouch(NamedTuple):
    """Contact state of one pair of node and body, in world axes."""

    force: jax.Array  # (d,) [N] on the node
    bristle_rate: jax.Array  # (d,) [m/s] in the body's frame
    relaxation: jax.Array  # (1,) [1/s] of the bristle
    normal: jax.Array  # (1,) [N] normal force
    slip: jax.Array  # (d,) [m/s] tangential velocity of the node on the surface
    surface_velocity: jax.Array  # (d,) [m/s]
    depth: jax.Array  # () [m]
    approach: jax.Array  # () [m/s]


class Foot(NamedTuple):
    """Contact node, in world axes."""

    position: jax.Array  # (d,) [m]
    velocity: jax.Array  # (d,) [m/s]
    radius: jax.Array  # () [m]


class TouchedBody(NamedTuple):
    """Convex body: pose and velocity in world axes, planes in its own axes."""

    position: jax.Array  # (d,) [m]
    rotation: jax.Array  # (d, d)
    velocity: jax.Array  # (d,) [m/s]
    spin: jax.Array  # (1 or 3,) [rad/s]
    normals: jax.Array  # (m, d)
    offsets: jax.Array  # (m,) [m]


class PairMemory(NamedTuple):
    """Contact memory of one pair."""

    bristle: jax.Array  # (d,) [m] in the body's frame; empty if the friction law has no bristles
    on: jax.Array  # (m,) one at the touched plane; all zero without contact
    impact_speed: jax.Array  # () [m/s] at the start of the contact
    slid: jax.Array  # () [m/s] slip speed


def distances(
    position: jax.Array, radius: jax.Array, r: jax.Array, R: jax.Array, normals: jax.Array, offsets: jax.Array
) -> jax.Array:
    """Return signed distances (m,) [m] of a node with a radius to the planes of a body at (r, R)."""
    return normals @ (R.T @ (position - r)) - offsets - radius


def touch(
    foot: Foot, body: TouchedBody, memory: PairMemory, law: NormalLaw, friction: Friction, dim: Dimension
) -> PairTouch:
    """Return the force of one body on one node.

    The law is evaluated as in contact even if a trial state has just left the surface: a step ends at the event, not
    within a discontinuity.
    """
    R, on, z = body.rotation, memory.on, memory.bristle
    active = jnp.sum(on)
    local = on @ body.normals
    n = R @ local
    gap = (R.T @ (foot.position - body.position)) @ local - on @ body.offsets - foot.radius
    below = foot.position - (gap + foot.radius) * n
    surface = body.velocity + dim.cross(body.spin, below - body.position)
    depth, speed, slip = contact_kinematics(gap, n, foot.velocity - surface)
    slip = slip * active
    push = active * law.clamp_tension(law.push(depth, speed, IMPACT_MEMORY.clip_speed(memory.impact_speed)))
    if friction.has_bristles:
        z = R @ z
        z = z - (z @ n) * n
    force, rate, relax = friction.force_and_rate(jnp.maximum(push, 0.0)[None], slip, z, memory.slid[None])
    return PairTouch(
        force=push * n + active * force,
        bristle_rate=active * (R.T @ rate if friction.has_bristles else rate),
        relaxation=active * relax,
        normal=push[None],
        slip=slip,
        surface_velocity=surface,
        depth=depth * active,
        approach=speed * active,
    )
