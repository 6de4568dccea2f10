r"""Contact of a body with a surface: kinematics, contact and friction forces, states.

With the gap g between body and surface, the surface normal n (towards the body) and the velocity v of the body's
material at the contact point relative to the surface,

.. math:: \delta = -g, \qquad \dot\delta = -v\cdot n, \qquad v_t = v + \dot\delta\,n, \qquad
          f = F_N(\delta, \dot\delta, \dot\delta_i)\,n + F_t(F_N, v_t, z)

The states are the impact speed :math:`\dot\delta_i` (see `ImpactSpeedMemory`) and the bristles z of the friction law,
if it has any. Bristles lie in the surface. They are released when the bodies separate: at once if the friction law
moves anchors, otherwise as they relax.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.mechanics.contact.impact_speed_memory import ImpactSpeedMemory
from dovetail.mechanics.contact.normal_law import NormalLaw
from dovetail.mechanics.friction import Friction


class ContactKinematics(NamedTuple):
    """Penetration and relative velocity of a body at a surface; any number of contacts at once."""

    depth: jax.Array  # (...) [m] penetration, positive in contact
    speed: jax.Array  # (...) [m/s] rate of the penetration
    slip: jax.Array  # (..., d) [m/s] velocity of the body along the surface


def contact_kinematics(
    gap: Float[Array, "*#m"], normal: Float[Array, "*#m d"], velocity: Float[Array, "*#m d"]
) -> ContactKinematics:
    """Return the contact kinematics from gap (...) [m], normal (..., d) and relative velocity (..., d) [m/s]."""
    speed = -jnp.sum(velocity * normal, -1)
    return ContactKinematics(-gap, speed, velocity + speed[..., None] * normal)


class ContactForces(eqx.Module):
    """Kinematics, forces, power and state rates of a contact with a surface."""

    depth: jax.Array  # [m]
    speed: jax.Array  # [m/s]
    slip: jax.Array  # (..., d) [m/s]
    normal_force: jax.Array  # [N]
    force: jax.Array  # (..., d) [N] on the body
    bristle: jax.Array  # [m] in the surface
    rate: dict[str, jax.Array]  # derivative of the contact state
    impact_power: jax.Array  # [W] dissipated along the normal
    friction_power: jax.Array  # [W] of the slip; bristles return a part of it


class SurfaceContact(eqx.Module):
    """Contact of a body with a surface: normal law, friction law and impact speed memory."""

    law: NormalLaw
    friction: Friction
    impact_speed_memory: ImpactSpeedMemory = ImpactSpeedMemory()

    @property
    def jumps(self) -> bool:
        """Whether `update_memory` changes the state."""
        return self.law.needs_impact_speed or self.friction.moves_anchors

    def init(self, *shape: int) -> dict[str, jax.Array]:
        """Return the state of separated contacts; `shape` is that of their velocities."""
        return {"impact_speed": jnp.zeros(shape[:-1]), "bristle": self.friction.initial_bristles(*shape)}

    def forces(
        self,
        memory: Any,
        gap: Float[Array, "*#m"],
        normal: Float[Array, "*#m d"],
        velocity: Float[Array, "*#m d"],
    ) -> ContactForces:
        """Return the forces from the contact state and the inputs of `contact_kinematics`."""
        motion = contact_kinematics(gap, normal, velocity)
        impact_speed = self.impact_speed_memory.impact_speed(memory["impact_speed"], motion.speed)
        return self.with_normal_force(
            memory, motion, normal, self.law.force(motion.depth, motion.speed, impact_speed)
        )

    def with_normal_force(
        self, memory: Any, motion: ContactKinematics, normal: Float[Array, "*#m d"], push: Float[Array, "*#m"]
    ) -> ContactForces:
        """Return the forces for a given normal force `push` (...) [N]."""
        z = memory["bristle"]
        z = z - jnp.sum(z * normal, -1, keepdims=True) * normal if self.friction.has_bristles else z
        friction, bristle_rate, relax = self.friction.force_and_rate(
            jnp.maximum(push, 0.0)[..., None], motion.slip, z
        )
        return ContactForces(
            *motion,
            normal_force=push,
            force=push[..., None] * normal + friction,
            bristle=z,
            rate={
                "impact_speed": jnp.zeros_like(motion.depth),
                "bristle": jnp.where((push > 0)[..., None], bristle_rate, -relax * z),
            },
            impact_power=(push - self.law.elastic_force(motion.depth)) * motion.speed,
            friction_power=-jnp.sum(friction * motion.slip, -1),
        )

    def guards(self, forces: ContactForces) -> jax.Array:
        """Return the event functions (n,): the gaps [m], then those of the friction law."""
        push = jnp.maximum(forces.normal_force, 0.0)[..., None]
        sticking = self.friction.guards(push, forces.slip, forces.bristle)
        return jnp.concatenate([-jnp.ravel(forces.depth), jnp.ravel(sticking)])

    def update_memory(self, memory: Any, forces: ContactForces) -> dict[str, jax.Array]:
        """Return the contact state after an accepted step (the jump of the flow that contains it)."""
        push = jnp.maximum(forces.normal_force, 0.0)[..., None]
        return {
            "impact_speed": self.impact_speed_memory.update(
                memory["impact_speed"], forces.depth, forces.speed
            ),
            "bristle": self.friction.update_anchors(push, forces.slip, forces.bristle),
        }
