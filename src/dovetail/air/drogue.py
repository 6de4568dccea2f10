r"""Drogue at the end of a hose: point mass behind a ball joint, with drag and a restoring aerodynamic moment.

Drag acts at the centre of mass. The drogue is a point mass at the distance `arm` behind the joint, so it has pitch and
yaw but no roll. Moments act as couples of forces across the arm. Source: [Bolien 2018, sec. 3.5 and table 1 of ch. 5].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.latching_device import bluff_drag
from dovetail.core import Parameter, Part, choice, kind, parameter
from dovetail.mechanics.chain.base import Chain

TINY = 1e-12  # keeps square roots differentiable in still air; far below any squared wind speed


@kind("towed-drogue")
class TowedDrogue(Part):
    """Parameters of drogue and coupling."""

    mass: Parameter = parameter("kg", "mass of drogue and coupling", default=17.91, above=0.0)
    arm: Parameter = parameter("m", "distance from ball joint to centre of mass", default=0.3, above=0.0)
    canopy_diameter: Parameter = parameter("m", "diameter of the canopy", default=0.6096, at_least=0.0)
    drag: Parameter = parameter("1", "drag coefficient of the canopy", default=0.8, at_least=0.0)
    joint_friction: Parameter = parameter("N m s", "viscous friction of the ball joint", default=10.0)
    aero_moment: Parameter = parameter("N m/rad", "aerodynamic restoring moment", default=286.4788975654116)
    aero_zero: str = choice("trim", "wind", about="direction in which the moment is zero", default="trim")

    def attach_to(self, chain: Chain) -> Chain:
        """Return the chain with this body attached at its end."""
        return chain.with_body(self.mass, self.arm, self.joint_friction)

    def force(self, wind: jax.Array, density: jax.Array | float) -> jax.Array:
        """Drag (3,) [N] in the relative wind (3,) [m/s]."""
        return bluff_drag(wind, density, jnp.pi / 4 * self.canopy_diameter**2 * self.drag)

    def pull(self, wind: jax.Array, density: jax.Array, weight_field: jax.Array) -> jax.Array:
        """Force (3,) [N] of the drogue on the hose in steady flight: drag and weight."""
        return self.force(wind, density) + self.mass * weight_field

    def restoring(self, n: jax.Array, l: jax.Array, zero: jax.Array) -> jax.Array:
        """Force (3,) at the far end, reversed at the joint, that turns the up-hose direction n to `zero`, (3,)."""
        cosine = jnp.clip(n @ zero, -1.0, 1.0)
        side = zero - cosine * n
        sine = jnp.sqrt(side @ side + TINY**2)
        # the far end is at -l n: a push along -side turns n to +side
        return -self.aero_moment * jnp.arctan2(sine, cosine) / sine * side / l


def couple(moment: jax.Array, l: jax.Array) -> jax.Array:
    """Force (3,) at the arm's far end, reversed at the joint, equivalent to a moment (3,) about the joint, in arm axes.

    The component about the arm is dropped: twist is locked. Source: [Bolien 2018, eq. 3.5].
    """
    return jnp.stack([jnp.zeros_like(moment[0]), -moment[2] / l, moment[1] / l])


def unit(force: jax.Array) -> jax.Array:
    """Unit vector along a force (3,)."""
    return force / jnp.sqrt(force @ force + TINY**2)
