r"""Platforms with prescribed motion: a ship's deck, a securing device on it, its clamps.

Each platform can have a parent; for example a clamp is carried by the device and the device by the ship:

.. math:: r_{NC} = r_{NS} + R_{NS}(r_{SD} + R_{SD}\,r_{DC}), \qquad R_{NC} = R_{NS}R_{SD}R_{DC}

[Schock 2020, eqs 3.40 to 3.47]. Velocities are the derivatives of this chain. The number of platforms is not limited;
parents are listed before children.
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
    """Pose and velocity of all platforms at one time, in world axes."""

    position: jax.Array  # (n, d) [m]
    rotation: jax.Array  # (n, d, d)
    velocity: jax.Array  # (n, d) [m/s]
    spin: jax.Array  # (n, 1 or 3) [rad/s]


@kind("platform")
class Platform(Part):
    """Convex body on a moving frame."""

    body: ConvexShape
    motion: FrameMotion
    name: str = eqx.field(default="deck", static=True)
    parent: str = eqx.field(default="", static=True)  # empty: the world
    role: str = choice("deck", "clamp", about="support surface or clamp", default="deck")


def rotation_of(angles: jax.Array) -> jax.Array:
    """Return the rotation matrix of one angle, or of roll, pitch, yaw."""
    return PLANE.rotation(angles) if angles.shape[0] == 1 else euler.to_matrix(angles)


def poses(
    platforms: Sequence[Platform], t: jax.Array, displacements: Mapping[str, jax.Array] | None = None
) -> tuple[jax.Array, jax.Array]:
    """Return positions (n, d) [m] and rotations (n, d, d) of all platforms.

    `displacements` (d,) [m] are added to the prescribed motion, by name of the platform, in the parent's axes.
    """
    d = platforms[0].body.dimension
    pose = FrameMotion.planar_pose if d == 2 else FrameMotion.spatial_pose
    own = map_parts(lambda motion: pose(motion, t), [platform.motion for platform in platforms])
    rotations = jax.vmap(rotation_of)(own[:, d:])
    by_name: dict[str, tuple[jax.Array, jax.Array]] = {}
    for i, platform in enumerate(platforms):
        r, R = own[i, :d], rotations[i]
        if displacements and platform.name in displacements:
            r = r + displacements[platform.name]
        if platform.parent:
            r0, R0 = by_name[platform.parent]
            r, R = r0 + R0 @ r, R0 @ R
        by_name[platform.name] = r, R
    return jnp.stack([r for r, _ in by_name.values()]), jnp.stack([R for _, R in by_name.values()])


def map_parts(function: Callable[[Any], Any], parts: Sequence[Any]) -> Any:
    """Return the stacked results of a function of each part; parts of one kind and size are compiled as one batch."""
    groups: dict[Any, list[int]] = {}
    for i, part in enumerate(parts):
        leaves, tree = jax.tree.flatten(part)
        groups.setdefault((tree, *map(jnp.shape, leaves)), []).append(i)
    results = [
        jax.vmap(function)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *(parts[i] for i in group)))
        for group in groups.values()
    ]
    order = np.argsort(np.concatenate(list(groups.values())))
    return jax.tree.map(lambda *batches: jnp.concatenate(batches)[order], *results)


def frames(
    platforms: Sequence[Platform],
    t: jax.Array,
    displacements: Callable[[jax.Array], Mapping[str, jax.Array]] | None = None,
) -> PlatformFrames:
    """Return pose and velocity of all platforms; `displacements` is a function of time, see `poses`."""
    t = jnp.asarray(t, float)

    def poses_at(s: jax.Array) -> tuple[jax.Array, jax.Array]:
        return poses(platforms, s, displacements(s) if displacements else None)

    (r, R), (v, dR) = jax.jvp(poses_at, (t,), (jnp.ones_like(t),))
    W = dR @ jnp.swapaxes(R, -1, -2)
    if r.shape[1] == 2:
        spin = W[:, 1, 0, None]
    else:
        spin = jnp.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], -1) / 2
    return PlatformFrames(r, R, v, spin)


def half_spaces(platforms: Sequence[Platform]) -> tuple[jax.Array, jax.Array]:
    """Return normals (n, m, d) and offsets (n, m) of all platforms, padded with zero normals."""
    bodies = [platform.body for platform in platforms]
    count = max(len(jax.eval_shape(body.planes)[1]) for body in bodies)

    def padded_planes(body: Any) -> tuple[jax.Array, jax.Array]:
        normals, offsets = body.planes()
        missing = count - len(offsets)
        return jnp.pad(normals, ((0, missing), (0, 0))), jnp.pad(offsets, (0, missing), constant_values=FAR)

    planes: tuple[jax.Array, jax.Array] = map_parts(padded_planes, bodies)
    return planes


def corners_at(platforms: Sequence[Platform], t: float) -> list[jax.Array]:
    """Return the world coordinates of the corners of each platform."""
    r, R = poses(platforms, jnp.asarray(t, float))
    return [p.body.corners() @ R[i].T + r[i] for i, p in enumerate(platforms)]


def platform_faults(platforms: Sequence[Platform], d: int) -> list[Fault]:
    """Return the faults of a set of platforms: parents, names, dimensions."""
    faults: list[Fault] = []
    names: set[str] = set()
    for i, platform in enumerate(platforms):
        path = f"numerical.platforms.{i}"
        if platform.name in names:
            faults.append(Fault(f"{path}.name", f'"{platform.name}" is the name of another platform'))
        if platform.parent and platform.parent not in names:
            known = ", ".join(sorted(names)) or "none"
            text = f'"{platform.parent}" is not a platform listed before it; known: {known}'
            faults.append(Fault(f"{path}.parent", text))
        names.add(platform.name)
        if platform.body.dimension != d:
            faults.append(
                Fault(f"{path}.body", f"has {platform.body.dimension} dimensions, the aircraft {d}")
            )
        shape = jax.eval_shape(platform.motion.pose, np.zeros(())).shape
        if shape not in ((3,), (6,)):
            faults.append(Fault(f"{path}.motion", f"has shape {shape}; expected three or six numbers"))
    return faults


def motion_ends(platforms: Sequence[Platform], duration: float) -> list[Fault]:
    """Return a fault for each motion that ends before a run of `duration` [s]."""
    return [
        Fault(
            f"numerical.platforms.{i}.motion",
            f"motion of {p.name} ends at {p.motion.valid_until:g} s, the run at {duration:g} s; extend the table",
        )
        for i, p in enumerate(platforms)
        if p.motion.valid_until < duration - 1e-9
    ]
