r"""Bodies that move as prescribed and can be touched: a ship's deck, a securing device on it, its clamps.

Each has a parent, so that a clamp rides on the device, which rides on the ship:

.. math:: r_{NC} = r_{NS} + R_{NS}(r_{SD} + R_{SD}\,r_{DC}), \qquad R_{NC} = R_{NS}R_{SD}R_{DC}

[Schock 2020, eqs 3.40 to 3.47]. Velocities are the derivatives of the chain. Any number of bodies, in any order of
parents before children.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, choice, kind
from dovetail.core.errors import Fault
from dovetail.mechanics.collision.touched_surface import FAR
from dovetail.mechanics.dimension import PLANE
from dovetail.mechanics.geometry import ConvexShape
from dovetail.mechanics.motion import FrameMotion
from dovetail.mechanics.spatial import euler


class PlatformFrames(NamedTuple):
    """Pose and velocity of all bodies at a time, in world axes."""

    position: jax.Array  # (n, d) [m]
    rotation: jax.Array  # (n, d, d)
    velocity: jax.Array  # (n, d) [m/s]
    spin: jax.Array  # (n, 1 or 3) [rad/s]


@kind("platform")
class Platform(Part):
    """A convex body on a moving frame."""

    body: ConvexShape
    motion: FrameMotion
    name: str = eqx.field(default="deck", static=True)
    parent: str = eqx.field(default="", static=True)  # empty: the world
    role: str = choice("deck", "clamp", about="whether it is to be stood on, or holds", default="deck")


def rotation_of(angles: jax.Array) -> jax.Array:
    """Rotation matrix of one angle, or of roll, pitch, yaw."""
    return PLANE.rotation(angles) if angles.shape[0] == 1 else euler.to_matrix(angles)


def poses(
    platforms: Sequence[Platform], t: jax.Array, moved: Mapping[str, jax.Array] | None = None
) -> tuple[jax.Array, jax.Array]:
    """Positions (n, d) [m] and rotations (n, d, d) of all bodies.

    `moved` are displacements (d,) [m] of some, by name, in their parents' axes, beside what is prescribed.
    """
    d = platforms[0].body.dimension
    asked = FrameMotion.plane if d == 2 else FrameMotion.space
    own = alike(lambda motion: asked(motion, t), [platform.motion for platform in platforms])
    turned = jax.vmap(rotation_of)(own[:, d:])
    found: dict[str, tuple[jax.Array, jax.Array]] = {}
    for i, platform in enumerate(platforms):
        r, R = own[i, :d], turned[i]
        if moved and platform.name in moved:
            r = r + moved[platform.name]
        if platform.parent:
            r0, R0 = found[platform.parent]
            r, R = r0 + R0 @ r, R0 @ R
        found[platform.name] = r, R
    return jnp.stack([r for r, _ in found.values()]), jnp.stack([R for _, R in found.values()])


def alike(function: Callable[[Any], Any], parts: Sequence[Any]) -> Any:
    """The function of every part, stacked; parts of one kind and size are one batch, which is compiled once."""
    groups: dict[Any, list[int]] = {}
    for i, part in enumerate(parts):
        leaves, tree = jax.tree.flatten(part)
        groups.setdefault((tree, *map(jnp.shape, leaves)), []).append(i)
    done = [
        jax.vmap(function)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *(parts[i] for i in group)))
        for group in groups.values()
    ]
    order = np.argsort(np.concatenate(list(groups.values())))
    return jax.tree.map(lambda *found: jnp.concatenate(found)[order], *done)


def frames(
    platforms: Sequence[Platform],
    t: jax.Array,
    moved: Callable[[jax.Array], Mapping[str, jax.Array]] | None = None,
) -> PlatformFrames:
    """Pose and velocity of all bodies; `moved` gives displacements as in `poses`, as a function of time."""
    t = jnp.asarray(t, float)

    def placed(s):
        return poses(platforms, s, moved(s) if moved else None)

    (r, R), (v, dR) = jax.jvp(placed, (t,), (jnp.ones_like(t),))
    W = dR @ jnp.swapaxes(R, -1, -2)
    if r.shape[1] == 2:
        spin = W[:, 1, 0, None]
    else:
        spin = jnp.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], -1) / 2
    return PlatformFrames(r, R, v, spin)


def half_spaces(platforms: Sequence[Platform]) -> tuple[jax.Array, jax.Array]:
    """Normals (n, m, d) and offsets (n, m) of all bodies; rows that only fill up have normal zero."""
    bodies = [platform.body for platform in platforms]
    most = max(len(jax.eval_shape(body.planes)[1]) for body in bodies)

    def filled(body):
        normals, offsets = body.planes()
        rest = most - len(offsets)
        return jnp.pad(normals, ((0, rest), (0, 0))), jnp.pad(offsets, (0, rest), constant_values=FAR)

    return alike(filled, bodies)


def corners_at(platforms: Sequence[Platform], t: float) -> list[jax.Array]:
    """World coordinates of the corners of each body, for pictures and files."""
    r, R = poses(platforms, jnp.asarray(t, float))
    return [p.body.corners() @ R[i].T + r[i] for i, p in enumerate(platforms)]


def platform_faults(platforms: Sequence[Platform], d: int) -> list[Fault]:
    """What is wrong with a set of bodies: parents, names, dimensions."""
    faults: list[Fault] = []
    known: set[str] = set()
    for i, platform in enumerate(platforms):
        place = f"system.platforms.{i}"
        if platform.name in known:
            faults.append(Fault(f"{place}.name", f'"{platform.name}" is the name of another platform'))
        if platform.parent and platform.parent not in known:
            text = f'"{platform.parent}" is no platform listed before it; known: {", ".join(sorted(known)) or "none"}'
            faults.append(Fault(f"{place}.parent", text))
        known.add(platform.name)
        if platform.body.dimension != d:
            faults.append(
                Fault(f"{place}.body", f"has {platform.body.dimension} dimensions, the aircraft {d}")
            )
        given = jax.eval_shape(platform.motion.pose, np.zeros(())).shape
        if given not in ((3,), (6,)):
            faults.append(Fault(f"{place}.motion", f"gives {given} numbers; needs three or six"))
    return faults


def motion_ends(platforms: Sequence[Platform], duration: float) -> list[Fault]:
    """Motions that end before a run of `duration` [s] does."""
    return [
        Fault(
            f"system.platforms.{i}.motion",
            f"of {p.name} ends at {p.motion.ends:g} s, before the run does at {duration:g} s; make the table longer",
        )
        for i, p in enumerate(platforms)
        if p.motion.ends < duration - 1e-9
    ]
