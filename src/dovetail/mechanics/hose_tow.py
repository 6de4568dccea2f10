"""Motion of the tow point: none in steady flight, or what the tanker does."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class TowMotion(Part):
    """How far the tow point is from its place in steady flight, in the tanker's axes (x forward, z down)."""

    @abstractmethod
    def offset(self, t: jax.Array) -> jax.Array:
        """(3,) [m] at t [s], twice differentiable."""

    def motion(self, t: jax.Array, tow_point: jax.Array) -> jax.Array:
        """Place, velocity and acceleration, (3, 3): one a row."""
        t = jnp.asarray(t, float)

        def rate(t):
            return jax.jvp(self.offset, (t,), (jnp.ones_like(t),))[1]

        return jnp.stack([tow_point + self.offset(t), *jax.jvp(rate, (t,), (jnp.ones_like(t),))])


@kind("steady-tow")
class SteadyTow(TowMotion):
    """Straight and level at constant speed."""

    def offset(self, t):
        return jnp.zeros(3)

    def motion(self, t, tow_point):
        return jnp.stack([tow_point, jnp.zeros(3), jnp.zeros(3)])


@kind("swaying-tow")
class SwayingTow(TowMotion):
    """A sine along each axis, grown in over its first period: heave, sway and surge of the tanker's wing tip."""

    amplitude: jax.Array = parameter("m", "amplitudes along x, y, z", default=(0.0, 0.0, 0.2))
    frequency: jax.Array = parameter("Hz", "frequencies, one or three", default=0.2, above=0.0)

    def offset(self, t):
        phase = 2 * jnp.pi * self.frequency * t * jnp.ones(3)
        s = jnp.clip(phase / (2 * jnp.pi), 0.0, 1.0)
        return self.amplitude * s**3 * (10 + s * (6 * s - 15)) * jnp.sin(phase)
