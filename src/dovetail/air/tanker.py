r"""Air behind a tanker for a trailing hose: stream, gusts, the tanker's wake and the receiver's bow wave.

The axes of a hose are x forward, y to starboard, z down, and move with the tanker. The gusts and wakes of this package
use x downstream, y down, z to starboard, with the tow point as origin. Wing-tip vortices lie at the wing's span and
height, so the origin of the wake may differ from the tow point.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.atmosphere import StandardAtmosphere
from dovetail.air.bow_wave import HalfBody
from dovetail.air.wind import FreeStream, StillAir, WindField
from dovetail.core import OptionalParameter, Parameter, Part, kind, parameter
from dovetail.mechanics.chain.attitude import to_flight_axes, to_towing_axes


@kind("tanker-air")
class TankerAir(Part):
    """Air stream disturbed by gusts, tanker and receiver. The default density is that of the altitude."""

    airspeed: Parameter = parameter("m/s", "true airspeed", default=200.0, at_least=0.0)
    altitude: Parameter = parameter("m", "altitude for the standard atmosphere's density", default=8000.0)
    density: OptionalParameter = parameter("kg/m^3", "density of the air", default=None, at_least=0.0)
    gusts: WindField = StillAir()
    wake: WindField = StillAir()
    bow_wave: HalfBody | None = None
    origin: Parameter = parameter("m", "origin of the wake in the tanker's frame", default=(-21.14, 0.0, 0.5))

    def stream(self) -> tuple[jax.Array, jax.Array]:
        """Undisturbed velocity (3,) [m/s] and density [kg/m^3]."""
        density = StandardAtmosphere().density(self.altitude) if self.density is None else self.density
        return -self.airspeed * jnp.eye(3)[0], density

    def velocity(self, t: jax.Array, r: jax.Array, nozzle: jax.Array) -> jax.Array:
        """Velocity (3, n) [m/s] at positions r (3, n) [m], with the receiver's nozzle at `nozzle` (3,) [m]."""
        wind, density = self.stream()
        stream = FreeStream(self.airspeed, density)
        positions = to_towing_axes(r - self.origin[:, None])
        disturbed = self.wake.velocity(t, positions, stream) + self.gusts.velocity(t, positions, stream)
        air = wind[:, None] + to_flight_axes(disturbed)
        return air if self.bow_wave is None else air + self.bow_wave.velocity(t, r - nozzle[:, None], stream)
