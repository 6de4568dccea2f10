"""A point that moves as it is told: a tow point, a nozzle."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter
from dovetail.core.block import Time
from dovetail.mechanics.chain.length import smooth_step


class PointMotion(Part):
    """How far a point is from its place in steady flight, in the axes of flight (x forward, z down)."""

    @abstractmethod
    def offset(self, t: jax.Array) -> jax.Array:
        """(3,) [m] at t [s], twice differentiable."""

    def motion(self, t: Time, place: jax.Array) -> jax.Array:
        """Place, velocity and acceleration, (3, 3): one a row."""
        t = jnp.asarray(t, float)

        def rate(t):
            return jax.jvp(self.offset, (t,), (jnp.ones_like(t),))[1]

        return jnp.stack([place + self.offset(t), *jax.jvp(rate, (t,), (jnp.ones_like(t),))])


@kind("steady-tow")
class SteadyTow(PointMotion):
    """Straight and level at constant speed."""

    def offset(self, t):
        return jnp.zeros(3)

    def motion(self, t, place):
        return jnp.stack([place, jnp.zeros(3), jnp.zeros(3)])


@kind("swaying-tow")
class SwayingTow(PointMotion):
    """A sine along each axis, grown in over its first period: heave, sway and surge of the tanker's wing tip."""

    amplitude: jax.Array = parameter("m", "amplitudes along x, y, z", default=(0.0, 0.0, 0.2))
    frequency: jax.Array = parameter("Hz", "frequencies, one or three", default=0.2, above=0.0)

    def offset(self, t):
        phase = 2 * jnp.pi * self.frequency * t * jnp.ones(3)
        return smooth_step(phase / (2 * jnp.pi), self.amplitude, 1.0)[0] * jnp.sin(phase)


@kind("braking-point")
class BrakingPoint(PointMotion):
    """A point that comes on at a speed and stops in a distance, at a constant deceleration: the receiver's nozzle."""

    speed: jax.Array = parameter("m/s", "at the start", default=1.5, at_least=0.0)
    distance: jax.Array = parameter("m", "in which it stops", default=0.5, above=0.0)
    direction: jax.Array = parameter("1", "in which it moves", default=(1.0, 0.0, 0.0))

    def offset(self, t):
        rate = self.speed**2 / (2 * self.distance)
        late = jnp.minimum(
            t, self.speed / jnp.maximum(rate, 1e-300)
        )  # no kink at the start, whose rate counts
        return self.direction * (self.speed * late - 0.5 * rate * late**2)


@kind("shifted-point")
class ShiftedPoint(PointMotion):
    """A point that is moved aside and stays there, smoothly: what sends one clean wave along a hose."""

    shift: jax.Array = parameter("m", "by which it is moved", default=(0.0, 0.1, 0.0))
    duration: jax.Array = parameter("s", "how long it takes", default=0.1, above=0.0)

    def offset(self, t):
        return smooth_step(t / self.duration, self.shift, self.duration)[0]
