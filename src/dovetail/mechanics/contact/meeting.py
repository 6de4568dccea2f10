r"""A body meets a surface: the one place where a gap and its rate become a law's depth and speed, and a law a force.

With the gap g between body and surface, the surface's normal n (towards the body) and the velocity v of the body's
material at the point of contact, relative to the surface,

.. math:: \delta = -g, \qquad \dot\delta = -v\cdot n, \qquad v_t = v + \dot\delta\,n, \qquad
          f = F_N(\delta, \dot\delta, \dot\delta_i)\,n + F_t(F_N, v_t, z)

What is remembered is the impact speed :math:`\dot\delta_i` (see `Latch`) and the bristles z of the friction law, if
it has any. Both are let go when the bodies part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.mechanics.contact.latch import Latch
from dovetail.mechanics.contact.normal_law import NormalLaw
from dovetail.mechanics.friction import Friction


class Approach(NamedTuple):
    """How a body stands to a surface; any number of them at once."""

    depth: jax.Array  # (...) [m] positive in contact
    speed: jax.Array  # (...) [m/s] at which the depth grows
    slip: jax.Array  # (..., d) [m/s] of the body along the surface


def approach(gap: jax.Array, normal: jax.Array, velocity: jax.Array) -> Approach:
    """From the gap (...) [m], the normal (..., d) and the velocity (..., d) [m/s] relative to the surface."""
    speed = -jnp.sum(velocity * normal, -1)
    return Approach(-gap, speed, velocity + speed[..., None] * normal)


class Met(eqx.Module):
    """What goes on at a surface."""

    depth: jax.Array  # [m]
    speed: jax.Array  # [m/s]
    impact_speed: jax.Array  # [m/s] with which this contact began
    slip: jax.Array  # (..., d) [m/s]
    normal_force: jax.Array  # [N]
    force: jax.Array  # (..., d) [N] on the body
    rate: dict[str, jax.Array]  # of the memory
    impact_power: jax.Array  # [W] lost along the normal
    friction_power: jax.Array  # [W] taken along the surface; bristles give some of it back


class Meeting(eqx.Module):
    """The laws between a body and a surface."""

    law: NormalLaw
    friction: Friction
    latch: Latch = Latch()

    def init(self, *shape: int) -> dict[str, jax.Array]:
        """The memory of as many contacts, before any; the last number is that of the axes."""
        return {"impact_speed": jnp.zeros(shape[:-1]), "bristle": self.friction.memory(*shape)}

    def at(self, memory: Any, gap: jax.Array, normal: jax.Array, velocity: jax.Array) -> Met:
        """Forces now; see `approach` for what is given."""
        depth, speed, slip = approach(gap, normal, velocity)
        began = self.latch.impact_speed(memory["impact_speed"], speed)
        push = self.law.force(depth, speed, began)
        rub, bending, _ = self.friction.act(jnp.maximum(push, 0.0)[..., None], slip, memory["bristle"])
        return Met(
            depth=depth,
            speed=speed,
            impact_speed=began,
            slip=slip,
            normal_force=push,
            force=push[..., None] * normal + rub,
            rate={"impact_speed": jnp.zeros_like(depth), "bristle": bending},
            impact_power=self.law.dissipated_power(depth, speed, began),
            friction_power=-jnp.sum(rub * slip, -1),
        )

    def after(self, memory: Any, met: Met) -> dict[str, jax.Array]:
        """The memory at the end of a step: the jump of whatever flow it is part of."""
        bent = self.friction.settled(
            jnp.maximum(met.normal_force, 0.0)[..., None], met.slip, memory["bristle"]
        )
        return {
            "impact_speed": self.latch.update(memory["impact_speed"], met.depth, met.speed),
            "bristle": jnp.where(met.depth[..., None] > 0, bent, 0.0),
        }
