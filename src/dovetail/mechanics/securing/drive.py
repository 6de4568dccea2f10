r"""A platform that gives way: an actuator with a mass of its own behind a prescribed motion.

Along a direction e of its parent the platform is a distance s from where it is told to be, and what touches it (or what
rides on it) pushes it there:

.. math:: m\left(\ddot s + \ddot p\cdot e\right) = F\cdot e + m\,g\cdot e - k\,s - c\,\dot s

with the acceleration :math:`\ddot p` of the prescribed place. From `fails` on the spring is gone (the drive has lost
its power) and only the damper, a brake, is left. A platform without a drive is as stiff as its prescription.
"""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter
from dovetail.core.errors import Fault
from dovetail.mechanics.securing.platform import Platform, PlatformFrames, frames, poses


@kind("drive")
class Drive(Part):
    """How a platform is driven; see the module."""

    platform: str = eqx.field(static=True)  # its name
    direction: jax.Array = parameter("1", "in which it gives way, in its parent's axes")
    mass: jax.Array = parameter("kg", "that is moved", above=0.0)
    stiffness: jax.Array = parameter("N/m", "of the drive", at_least=0.0)
    damping: jax.Array = parameter("N s/m", "of the drive, and of its brake", at_least=0.0, default=0.0)
    fails: jax.Array = parameter("s", "time from which it has no power", default=1e9)


def unit(drive: Drive) -> jax.Array:
    """Its direction, of length one."""
    return drive.direction / jnp.sqrt(jnp.sum(drive.direction**2))


def moved(drives: Sequence[Drive], x: jax.Array) -> dict[str, jax.Array]:
    """Displacement (d,) [m] of each driven platform in its parent's axes; x (drives,) [m]."""
    return {drive.platform: x[i] * unit(drive) for i, drive in enumerate(drives)}


def driven_frames(
    platforms: Sequence[Platform], drives: Sequence[Drive], t: jax.Array, x: jax.Array
) -> PlatformFrames:
    """Pose and velocity of all bodies; x (drives, 2) are ways and speeds of the drives."""
    return _driven(tuple(platforms), tuple(drives), jnp.asarray(t, float), x)


@eqx.filter_jit
def _driven(platforms, drives, t, x):  # traced once for all that asks for it
    if not drives:
        return frames(platforms, t)
    return frames(platforms, t, lambda s: moved(drives, x[:, 0] + (s - t) * x[:, 1]))


def accelerations(
    platforms: Sequence[Platform],
    drives: Sequence[Drive],
    t: jax.Array,
    x: jax.Array,
    force: jax.Array,
    gravity: jax.Array,
) -> jax.Array:
    """Of the drives (drives,) [m/s^2]; `force` (bodies, d) [N] is what acts on each body, world axes."""
    if not drives:
        return jnp.zeros(0)
    t, d = jnp.asarray(t, float), force.shape[1]
    where = {p.name: i for i, p in enumerate(platforms)}
    ways = moved(drives, x[:, 0])

    def place(s):
        return poses(platforms, s, ways)[0]

    def speed(s):
        return jax.jvp(place, (s,), (jnp.ones_like(s),))[1]

    _, carried = jax.jvp(speed, (t,), (jnp.ones_like(t),))
    _, R = poses(platforms, t, ways)
    down = jnp.zeros(d).at[-1].set(-gravity)
    found = []
    for i, drive in enumerate(drives):
        at = where[drive.platform]
        parent = platforms[at].parent
        e = (R[where[parent]] if parent else jnp.eye(d)) @ unit(drive)
        push = sum(force[j] for j in riders(platforms, drive.platform))
        k = jnp.where(t < drive.fails, drive.stiffness, 0.0)
        own = -k * x[i, 0] - drive.damping * x[i, 1]
        found.append((push @ e + own) / drive.mass + (down - carried[at]) @ e)
    return jnp.stack(found)


def riders(platforms: Sequence[Platform], name: str) -> list[int]:
    """Positions of a platform and of all that ride on it."""
    found: set[str] = {name}
    for platform in platforms:  # parents come before children
        if platform.parent in found:
            found.add(platform.name)
    return [i for i, p in enumerate(platforms) if p.name in found]


def drive_faults(platforms: Sequence[Platform], drives: Sequence[Drive], d: int) -> list[Fault]:
    """What is wrong with a set of drives."""
    names = [p.name for p in platforms]
    faults = []
    for i, drive in enumerate(drives):
        if drive.platform not in names:
            text = f'"{drive.platform}" is no platform; known: {", ".join(names)}'
            faults.append(Fault(f"system.drives.{i}.platform", text))
        if drive.direction.shape != (d,) or not float(jnp.sum(drive.direction**2)) > 0:
            text = f"got {drive.direction}; needs {d} numbers, not all zero"
            faults.append(Fault(f"system.drives.{i}.direction", text))
    return faults
