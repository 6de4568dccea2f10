r"""A body meets a surface: the one place where a gap and its rate become a law's depth and speed, and a law a force.

With the gap g between body and surface, the surface's normal n (towards the body) and the velocity v of the body's
material at the point of contact, relative to the surface,

.. math:: \delta = -g, \qquad \dot\delta = -v\cdot n, \qquad v_t = v + \dot\delta\,n, \qquad
          f = F_N(\delta, \dot\delta, \dot\delta_i)\,n + F_t(F_N, v_t, z)

What is remembered is the impact speed :math:`\dot\delta_i` (see `Latch`) and the bristles z of the friction law, if
it has any. Bristles are kept in the surface, and are let go when the bodies part: at once where their law moves
anchors, else as they relax.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.mechanics.contact.impact_speed_memory import Latch
from dovetail.mechanics.contact.normal_law import NormalLaw
from dovetail.mechanics.friction import Friction


class Approach(NamedTuple):
    """How a body stands to a surface; any number of them at once."""

    depth: jax.Array  # (...) [m] positive in contact
    speed: jax.Array  # (...) [m/s] at which the depth grows
    slip: jax.Array  # (..., d) [m/s] of the body along the surface


def approach(
    gap: Float[Array, "*#m"], normal: Float[Array, "*#m d"], velocity: Float[Array, "*#m d"]
) -> Approach:
    """From the gap (...) [m], the normal (..., d) and the velocity (..., d) [m/s] relative to the surface."""
    speed = -jnp.sum(velocity * normal, -1)
    return Approach(-gap, speed, velocity + speed[..., None] * normal)


class Met(eqx.Module):
    """What goes on at a surface."""

    depth: jax.Array  # [m]
    speed: jax.Array  # [m/s]
    slip: jax.Array  # (..., d) [m/s]
    normal_force: jax.Array  # [N]
    force: jax.Array  # (..., d) [N] on the body
    bristle: jax.Array  # [m] in the surface
    rate: dict[str, jax.Array]  # of the memory
    impact_power: jax.Array  # [W] lost along the normal
    friction_power: jax.Array  # [W] taken along the surface; bristles give some of it back


class Meeting(eqx.Module):
    """The laws between a body and a surface."""

    law: NormalLaw
    friction: Friction
    latch: Latch = Latch()

    @property
    def jumps(self) -> bool:
        """Whether `after` does anything."""
        return self.law.latches or self.friction.settles

    def init(self, *shape: int) -> dict[str, jax.Array]:
        """The memory of as many contacts, before any; the last number is that of the axes."""
        return {"impact_speed": jnp.zeros(shape[:-1]), "bristle": self.friction.memory(*shape)}

    def at(
        self,
        memory: Any,
        gap: Float[Array, "*#m"],
        normal: Float[Array, "*#m d"],
        velocity: Float[Array, "*#m d"],
    ) -> Met:
        """Forces now; see `approach` for what is given."""
        near = approach(gap, normal, velocity)
        began = self.latch.impact_speed(memory["impact_speed"], near.speed)
        return self.pressed(memory, near, normal, self.law.force(near.depth, near.speed, began))

    def pressed(
        self, memory: Any, near: Approach, normal: Float[Array, "*#m d"], push: Float[Array, "*#m"]
    ) -> Met:
        """The same with a normal force (...) [N] that is already known."""
        z = memory["bristle"]
        z = z - jnp.sum(z * normal, -1, keepdims=True) * normal if self.friction.remembers else z
        rub, bending, relax = self.friction.act(jnp.maximum(push, 0.0)[..., None], near.slip, z)
        return Met(
            *near,
            normal_force=push,
            force=push[..., None] * normal + rub,
            bristle=z,
            rate={
                "impact_speed": jnp.zeros_like(near.depth),
                "bristle": jnp.where((push > 0)[..., None], bending, -relax * z),
            },
            impact_power=(push - self.law.elastic_force(near.depth)) * near.speed,
            friction_power=-jnp.sum(rub * near.slip, -1),
        )

    def after(self, memory: Any, met: Met) -> dict[str, jax.Array]:
        """The memory at the end of a step: the jump of whatever flow it is part of."""
        push = jnp.maximum(met.normal_force, 0.0)[..., None]
        return {
            "impact_speed": self.latch.update(memory["impact_speed"], met.depth, met.speed),
            "bristle": self.friction.settled(push, met.slip, met.bristle),
        }
