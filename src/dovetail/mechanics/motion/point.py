"""Translation of a point in one direction: braking motion and offset motion."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.interpolation import smooth_step
from dovetail.mechanics.motion.base import FrameMotion


@kind("braking-point")
class BrakingPoint(FrameMotion):
    """Point that stops within a distance at constant deceleration, for example the nozzle of a receiver."""

    speed: Parameter = parameter("m/s", "initial speed", default=1.5, at_least=0.0)
    distance: Parameter = parameter("m", "stopping distance", default=0.5, above=0.0)
    direction: Parameter = parameter("1", "direction of motion", default=(1.0, 0.0, 0.0))

    def pose(self, t: jax.Array) -> jax.Array:
        rate = self.speed**2 / (2 * self.distance)
        # no lower bound on the time: the derivatives at the start are used
        braking = jnp.minimum(t, self.speed / jnp.maximum(rate, 1e-300))
        return jnp.pad(self.direction * (self.speed * braking - 0.5 * rate * braking**2), (0, 3))


@kind("offset-point")
class OffsetPoint(FrameMotion):
    """Point that moves smoothly to an offset and stays there; excites a single wave along a hose."""

    shift: Parameter = parameter("m", "offset", default=(0.0, 0.1, 0.0))
    duration: Parameter = parameter("s", "duration of the motion", default=0.1, above=0.0)

    def pose(self, t: jax.Array) -> jax.Array:
        return jnp.pad(smooth_step(jnp.clip(t / self.duration, 0.0, 1.0)) * self.shift, (0, 3))
