r"""Contact between the feet of an aircraft and the platforms: active pairs, forces and contact memory.

All pairs of foot and platform are one batch (see `collision.contact_force`). The contact memory (touched surfaces,
impact speed, slip speed, bristle anchors) changes only after an accepted step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.block import Time
from dovetail.mechanics.collision import contact_force, touched_surface
from dovetail.mechanics.securing.drive import driven_frames
from dovetail.mechanics.securing.platform import PlatformFrames, half_spaces, poses

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft


def distances(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> jax.Array:
    """Return the signed distances [m] of the feet to the planes of all bodies, (feet, bodies, planes)."""
    normals, offsets = half_spaces(aircraft.platforms)
    frame = driven_frames(aircraft.platforms, aircraft.drives, t, x["drive"])
    at = aircraft.node_positions(x)[np.array(aircraft.feet)]
    per_body = jax.vmap(contact_force.distances, (None, None, 0, 0, 0, 0))
    return jax.vmap(per_body, (0, 0, None, None, None, None))(
        at, aircraft.gear.radii, frame.position, frame.rotation, normals, offsets
    )


@eqx.filter_jit
def gaps_at_start(aircraft: DeckAircraft) -> jax.Array:
    """Return the initial gap [m] of each pair of foot and body; one compiled program, to keep the check fast."""
    return touched_surface.gap(distances(aircraft, 0.0, aircraft.init()))


def all_pairs(
    aircraft: DeckAircraft,
    frame: PlatformFrames,
    at: jax.Array,
    velocity: jax.Array,
    memory: contact_force.PairMemory,
) -> contact_force.PairTouch:
    """Return the contact state of all pairs of foot and body; arrays (feet, bodies, ...) in world axes."""

    def pair(foot: Any, body: Any, memory: Any) -> contact_force.PairTouch:
        return contact_force.touch(foot, body, memory, aircraft.law, aircraft.friction, aircraft.dim)

    feet = contact_force.Foot(at, velocity, aircraft.gear.radii)
    bodies = contact_force.TouchedBody(*frame, *half_spaces(aircraft.platforms))
    touches: contact_force.PairTouch = jax.vmap(jax.vmap(pair, (None, 0, 0)), (0, None, 0))(
        feet, bodies, memory
    )
    return touches


def touched_planes(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> jax.Array:
    """Return 1 at the touched plane of each pair, else 0, (feet, bodies, planes)."""
    if aircraft.touched_surface == "nearest":
        return touched_surface.nearest(distances(aircraft, t, x))
    touched: jax.Array = x["touch"]
    return touched


def touches(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> contact_force.PairTouch:
    """Return the contact state of every pair of foot and body."""
    return _touches(aircraft, jnp.asarray(t, float), x)


@eqx.filter_jit
def _touches(
    aircraft: DeckAircraft, t: Time, x: dict[str, Any]
) -> contact_force.PairTouch:  # traced once for all callers
    R = aircraft.dim.rotation(x["attitude"])
    rho, V, _ = aircraft._nodes(x)
    feet, d = np.array(aircraft.feet), aircraft.dim.d
    at = x["position"] + rho[feet] @ R.T
    on = touched_planes(aircraft, t, x)
    frame = driven_frames(aircraft.platforms, aircraft.drives, t, x["drive"])
    memory = contact_force.PairMemory(x["bristle"], on, x["impact_speed"], x["slip_speed"])
    return all_pairs(aircraft, frame, at, V[feet, :d] @ R.T, memory)


def contact_points(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> jax.Array:
    """Return the bristle anchor of each foot on each body (feet, bodies, d) [m], in world axes.

    For a pair without contact it is the position of the foot.
    """
    R = poses(aircraft.platforms, t)[1]  # drives do not rotate
    at = aircraft.node_positions(x)[np.array(aircraft.feet), None]
    if not aircraft.friction.has_bristles:
        return jnp.broadcast_to(at, (len(aircraft.feet), *R.shape[:2]))
    return at + jnp.einsum("bij,fbj->fbi", R, x["bristle"])


def guards(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> jax.Array:
    """Return the event functions: the gap [m] of each pair."""
    return touched_surface.gap(distances(aircraft, t, x)).ravel()


def jump(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> dict[str, Any]:
    """Return the state after an accepted step: touched surfaces, impact speeds, bristle anchors."""
    friction = aircraft.friction
    apart = distances(aircraft, t, x)
    inside, on = touched_surface.update_surfaces(apart, x["inside"], x["touch"])
    before, now = (jnp.any(a > 0.5, -1) for a in (x["touch"], on))
    x = {**x, "inside": inside, "touch": on}
    touch = touches(aircraft, t, x)
    new = now & ~before
    gap = jnp.abs(touched_surface.gap(apart))
    slip = jnp.sqrt(jnp.sum(touch.slip**2, -1))
    slip = jnp.where(new, slip, friction.filtered_slip_speed(x["slip_speed"], slip, t - x["last_time"])) * now
    bristle = x["bristle"]
    if friction.has_bristles:
        R = poses(aircraft.platforms, t)[1]
        world = jnp.einsum("bij,fbj->fbi", R, bristle)
        moved = friction.update_anchors(jnp.maximum(touch.normal, 0.0), touch.slip, world, slip[..., None])
        moved = jnp.where(friction.anchor_update_due(x["last_time"], t), moved, world)
        bristle = jnp.einsum("bji,fbj->fbi", R, moved) * now[..., None]
    return {
        **x,
        "bristle": bristle,
        "impact_speed": jnp.where(new, jnp.maximum(touch.approach, 0.0), x["impact_speed"]),
        "slip_speed": slip,
        "last_time": jnp.asarray(t, float),
        "load": aircraft._body_loads(t, x) if aircraft.load_sampling == "step" else x["load"],
        "event_penetration": jnp.maximum(x["event_penetration"], jnp.max(jnp.where(now != before, gap, 0.0))),
        "event_time": jnp.where(jnp.any(new), t, x["event_time"]),
    }
