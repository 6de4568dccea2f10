"""Points that move in one direction and turn not: one that brakes, one that is moved aside."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.name_lookup import smooth
from dovetail.mechanics.motion.base import FrameMotion


@kind("braking-point")
class BrakingPoint(FrameMotion):
    """A point that comes on at a speed and stops in a distance, at a constant deceleration: a receiver's nozzle."""

    speed: jax.Array = parameter("m/s", "at the start", default=1.5, at_least=0.0)
    distance: jax.Array = parameter("m", "in which it stops", default=0.5, above=0.0)
    direction: jax.Array = parameter("1", "in which it moves", default=(1.0, 0.0, 0.0))

    def pose(self, t):
        rate = self.speed**2 / (2 * self.distance)
        # no kink at the start, whose rate counts
        late = jnp.minimum(t, self.speed / jnp.maximum(rate, 1e-300))
        return jnp.pad(self.direction * (self.speed * late - 0.5 * rate * late**2), (0, 3))


@kind("shifted-point")
class ShiftedPoint(FrameMotion):
    """A point that is moved aside and stays there, smoothly: what sends one clean wave along a hose."""

    shift: jax.Array = parameter("m", "by which it is moved", default=(0.0, 0.1, 0.0))
    duration: jax.Array = parameter("s", "how long it takes", default=0.1, above=0.0)

    def pose(self, t):
        return jnp.pad(smooth(jnp.clip(t / self.duration, 0.0, 1.0)) * self.shift, (0, 3))
