r"""The force of a moving convex body on a node that touches it: along the touched surface's normal, and in the surface.

With the touched plane's normal :math:`n`, depth :math:`\delta = r - (x' \cdot n - c)` for a node of radius r at
:math:`x'` in the body's frame, and the velocity of the surface at the node's foot point,

.. math:: F = n\,F_n(\delta, \dot\delta) + F_t(F_n, v_t, z).

All pairs of node and body are one batch.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from dovetail.mechanics.contact import Latch, NormalLaw, approach
from dovetail.mechanics.dimension import Dimension
from dovetail.mechanics.friction import Friction

LATCH = Latch(floor=1e-3)  # a foot that stands has no impact


class PairTouch(NamedTuple):
    """What happens at one pair, in world axes."""

    force: jax.Array  # (d,) [N] on the node
    bristle_rate: jax.Array  # (d,) [m/s] in the body's frame
    relaxation: jax.Array  # (1,) [1/s] of the bristle
    normal: jax.Array  # (1,) [N] normal force
    slip: jax.Array  # (d,) [m/s] tangential velocity of the node on the surface
    surface_velocity: jax.Array  # (d,) [m/s]
    depth: jax.Array  # () [m]
    approach: jax.Array  # () [m/s]


class Foot(NamedTuple):
    """A node that can touch something, in world axes."""

    position: jax.Array  # (d,) [m]
    velocity: jax.Array  # (d,) [m/s]
    radius: jax.Array  # () [m]


class TouchedBody(NamedTuple):
    """A convex body: where it is and how it moves, in world axes, and its planes, in its own."""

    position: jax.Array  # (d,) [m]
    rotation: jax.Array  # (d, d)
    velocity: jax.Array  # (d,) [m/s]
    spin: jax.Array  # (1 or 3,) [rad/s]
    normals: jax.Array  # (m, d)
    offsets: jax.Array  # (m,) [m]


class PairMemory(NamedTuple):
    """What is remembered of a pair."""

    bristle: jax.Array  # (d,) [m] in the body's frame; empty where friction has no memory
    on: jax.Array  # (m,) one at the touched plane, all zero where none is
    impact_speed: jax.Array  # () [m/s] of the first touch
    slid: jax.Array  # () [m/s] speed of slip


def distances(
    position: jax.Array, radius: jax.Array, r: jax.Array, R: jax.Array, normals: jax.Array, offsets: jax.Array
) -> jax.Array:
    """Signed distances (m,) [m] of a node of a radius to the planes of a body at (r, R)."""
    return normals @ (R.T @ (position - r)) - offsets - radius


def touch(
    foot: Foot, body: TouchedBody, memory: PairMemory, law: NormalLaw, friction: Friction, dim: Dimension
) -> PairTouch:
    """Force on one node by one body.

    The law is evaluated as if they touched, also when a trial state has left the surface by a hair: a step ends at the
    event and not inside a jump.
    """
    R, on, z = body.rotation, memory.on, memory.bristle
    active = jnp.sum(on)
    local = on @ body.normals
    n = R @ local
    gap = (R.T @ (foot.position - body.position)) @ local - on @ body.offsets - foot.radius
    below = foot.position - (gap + foot.radius) * n
    surface = body.velocity + dim.cross(body.spin, below - body.position)
    depth, speed, slip = approach(gap, n, foot.velocity - surface)
    slip = slip * active
    push = active * law.clamped(law.push(depth, speed, LATCH.above_floor(memory.impact_speed)))
    if friction.remembers:
        z = R @ z
        z = z - (z @ n) * n
    force, rate, relax = friction.act(jnp.maximum(push, 0.0)[None], slip, z, memory.slid[None])
    return PairTouch(
        force=push * n + active * force,
        bristle_rate=active * (R.T @ rate if friction.remembers else rate),
        relaxation=active * relax,
        normal=push[None],
        slip=slip,
        surface_velocity=surface,
        depth=depth * active,
        approach=speed * active,
    )
