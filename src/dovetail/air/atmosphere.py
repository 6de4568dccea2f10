r"""Standard atmosphere up to 20 km, and gravity that decreases with altitude.

Troposphere (to 11 km): :math:`T = 288.15 - 0.0065 h`, :math:`p = 101325 (T/288.15)^{5.25588}`; above it, the
temperature is constant and the pressure falls exponentially. Source: [ISO 2533].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter

R_AIR = 287.05287  # [J/(kg K)]
G0 = 9.80665  # [m/s^2]
EARTH = 6_356_766.0  # [m] radius of the standard's geopotential
LAPSE = 0.0065  # [K/m]
TROPOPAUSE = 11_000.0  # [m]


@kind("standard-atmosphere")
class StandardAtmosphere(Part):
    """Temperature, pressure, density and speed of sound as functions of altitude [m], up to 20 km."""

    temperature_offset: Parameter = parameter("K", "deviation from the standard temperature", default=0.0)

    def temperature(self, h: jax.Array) -> jax.Array:
        """Temperature [K]."""
        return 288.15 - LAPSE * jnp.minimum(h, TROPOPAUSE) + self.temperature_offset

    def pressure(self, h: jax.Array) -> jax.Array:
        """Pressure [Pa]."""
        below = 1 - LAPSE * jnp.minimum(h, TROPOPAUSE) / 288.15
        above = jnp.exp(-G0 * jnp.maximum(h - TROPOPAUSE, 0.0) / (R_AIR * 216.65))
        return 101_325.0 * below ** (G0 / (LAPSE * R_AIR)) * above

    def density(self, h: jax.Array) -> jax.Array:
        """Air density [kg/m^3]."""
        return self.pressure(h) / (R_AIR * self.temperature(h))

    def speed_of_sound(self, h: jax.Array) -> jax.Array:
        """Speed of sound [m/s]."""
        return jnp.sqrt(1.4 * R_AIR * self.temperature(h))


def gravity(h: jax.Array, surface: jax.Array | float = G0) -> jax.Array:
    """Acceleration of gravity [m/s^2] at an altitude [m]."""
    return surface * (EARTH / (EARTH + h)) ** 2
