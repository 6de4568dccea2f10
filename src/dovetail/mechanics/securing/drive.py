r"""Compliant drive of a platform: actuator with spring, damper and moving mass, around a prescribed motion.

Along a direction e of its parent the platform has a displacement s from its prescribed position, caused by the
contact forces on it and on the platforms it carries:

.. math:: m\left(\ddot s + \ddot p\cdot e\right) = F\cdot e + m\,g\cdot e - k\,s - c\,\dot s

with the acceleration :math:`\ddot p` of the prescribed position. From `power_loss_time` on the stiffness is zero and
only the damper, a brake, remains. A platform without a drive follows its prescribed motion exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, Time, kind, parameter
from dovetail.core.errors import Fault
from dovetail.mechanics.securing.platform import Platform, PlatformFrames, frames, poses


@kind("compliant-drive")
class CompliantDrive(Part):
    """Drive of a platform with stiffness, damping and moving mass."""

    platform: str = eqx.field(static=True)  # name of the platform
    direction: Parameter = parameter("1", "direction of the displacement, in the parent's axes")
    mass: Parameter = parameter("kg", "moving mass", above=0.0)
    stiffness: Parameter = parameter("N/m", "stiffness of the drive", at_least=0.0)
    damping: Parameter = parameter(
        "N s/m", "damping of the drive and of its brake", at_least=0.0, default=0.0
    )
    power_loss_time: Parameter = parameter("s", "time of the power loss", default=1e9)


def unit(drive: CompliantDrive) -> jax.Array:
    """Return the unit vector of the drive direction."""
    return drive.direction / jnp.sqrt(jnp.sum(drive.direction**2))


def drive_displacements(drives: Sequence[CompliantDrive], x: jax.Array) -> dict[str, jax.Array]:
    """Return the displacement (d,) [m] of each driven platform in its parent's axes; x (drives,) [m]."""
    return {drive.platform: x[i] * unit(drive) for i, drive in enumerate(drives)}


def driven_frames(
    platforms: Sequence[Platform], drives: Sequence[CompliantDrive], t: jax.Array, x: jax.Array
) -> PlatformFrames:
    """Return pose and velocity of all platforms; x (drives, 2) are displacements and speeds of the drives."""
    moved: PlatformFrames = _driven(tuple(platforms), tuple(drives), jnp.asarray(t, float), x)
    return moved


@eqx.filter_jit
def _driven(platforms: Any, drives: Any, t: Time, x: jax.Array) -> Any:  # traced once for all callers
    if not drives:
        return frames(platforms, t)
    return frames(platforms, t, lambda s: drive_displacements(drives, x[:, 0] + (s - t) * x[:, 1]))


def accelerations(
    platforms: Sequence[Platform],
    drives: Sequence[CompliantDrive],
    t: jax.Array,
    x: jax.Array,
    force: jax.Array,
    gravity: jax.Array,
) -> jax.Array:
    """Return the accelerations of the drives (drives,) [m/s^2] for forces (platforms, d) [N] in world axes."""
    if not drives:
        return jnp.zeros(0)
    t, d = jnp.asarray(t, float), force.shape[1]
    index = {p.name: i for i, p in enumerate(platforms)}
    displacements = drive_displacements(drives, x[:, 0])

    def position(s: jax.Array) -> jax.Array:
        return poses(platforms, s, displacements)[0]

    def speed(s: jax.Array) -> jax.Array:
        rate: jax.Array = jax.jvp(position, (s,), (jnp.ones_like(s),))[1]
        return rate

    _, prescribed = jax.jvp(speed, (t,), (jnp.ones_like(t),))
    _, R = poses(platforms, t, displacements)
    down = jnp.zeros(d).at[-1].set(-gravity)
    rates = []
    for i, drive in enumerate(drives):
        at = index[drive.platform]
        parent = platforms[at].parent
        e = (R[index[parent]] if parent else jnp.eye(d)) @ unit(drive)
        push = sum(force[j] for j in riders(platforms, drive.platform))
        k = jnp.where(t < drive.power_loss_time, drive.stiffness, 0.0)
        drive_force = -k * x[i, 0] - drive.damping * x[i, 1]
        rates.append((push @ e + drive_force) / drive.mass + (down - prescribed[at]) @ e)
    return jnp.stack(rates)


def riders(platforms: Sequence[Platform], name: str) -> list[int]:
    """Return the indices of a platform and of all platforms it carries."""
    names: set[str] = {name}
    for platform in platforms:  # parents come before children
        if platform.parent in names:
            names.add(platform.name)
    return [i for i, p in enumerate(platforms) if p.name in names]


def drive_faults(platforms: Sequence[Platform], drives: Sequence[CompliantDrive], d: int) -> list[Fault]:
    """Return the faults of a set of drives."""
    names = [p.name for p in platforms]
    faults = []
    for i, drive in enumerate(drives):
        if drive.platform not in names:
            text = f'"{drive.platform}" is not a platform; known: {", ".join(names)}'
            faults.append(Fault(f"numerical.drives.{i}.platform", text))
        if drive.direction.shape != (d,) or not float(jnp.sum(drive.direction**2)) > 0:
            text = f"got {drive.direction}; expected {d} numbers, not all zero"
            faults.append(Fault(f"numerical.drives.{i}.direction", text))
    return faults
