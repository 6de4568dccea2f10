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


def distances(
    position: jax.Array, radius: jax.Array, r: jax.Array, R: jax.Array, normals: jax.Array, offsets: jax.Array
) -> jax.Array:
    """Signed distances (m,) [m] of a node of a radius to the planes of a body at (r, R)."""
    return normals @ (R.T @ (position - r)) - offsets - radius


def touch(
    position,
    velocity,
    z,
    radius,
    on,
    impact_speed,
    slid,
    r,
    R,
    v,
    w,
    normals,
    offsets,
    cross,
    law: NormalLaw,
    friction: Friction,
) -> PairTouch:
    """Force on one node by one body; `on` (m,) is one at the touched plane, all zero where none is.

    `slid` is the speed of slip [m/s] that friction remembers. The law is evaluated as if they touched, also when a
    trial state has left the surface by a hair: a step ends at the event and not inside a jump.
    """
    active = jnp.sum(on)
    local = on @ normals
    n = R @ local
    gap = (R.T @ (position - r)) @ local - on @ offsets - radius
    foot = position - (gap + radius) * n
    surface = v + cross(w, foot - r)
    depth, speed, slip = approach(gap, n, velocity - surface)
    slip = slip * active
    push = active * law.clamped(law.push(depth, speed, LATCH.above_floor(impact_speed)))
    if friction.remembers:
        z = R @ z
        z = z - (z @ n) * n
    force, rate, relax = friction.act(jnp.maximum(push, 0.0)[None], slip, z, slid[None])
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
