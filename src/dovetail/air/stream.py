"""The air that a hose trails in: a velocity field and a density, uniform unless something is plugged in."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class Stream(Part):
    """Air in the axes of flight (x forward, y to starboard, z down), which move with the towing aircraft."""

    @abstractmethod
    def stream(self) -> tuple[jax.Array, jax.Array]:
        """Undisturbed velocity (3,) [m/s] and density [kg/m^3]."""

    def velocity(self, t: jax.Array, r: jax.Array, nozzle: jax.Array) -> jax.Array:
        """Velocity (3, n) [m/s] at places r (3, n) [m], with a receiver's nozzle at (3,) [m]."""
        return jnp.broadcast_to(self.stream()[0][:, None], r.shape)


@kind("uniform-air")
class UniformAir(Stream):
    """A uniform stream: 200 m/s at 8000 m by default [Bolien 2018, sec. 3.5]."""

    airspeed: jax.Array = parameter("m/s", "true airspeed", default=200.0, at_least=0.0)
    density: jax.Array = parameter("kg/m^3", "density of the air", default=0.525, at_least=0.0)

    def stream(self):
        return -self.airspeed * jnp.eye(3)[0], self.density
