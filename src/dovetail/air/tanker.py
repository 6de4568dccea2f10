r"""Air behind a tanker for a trailing hose: stream, gusts, the tanker's wake and the receiver's bow wave.

A hose has axes x forward, y to starboard, z down (they move with the tanker); gusts and wakes of this room have x
downstream, y down, z to starboard, with the tow point as origin. Wing-tip
vortices lie at the wing's span and height, so the wake's origin may be put elsewhere than the tow point.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.atmosphere import StandardAtmosphere
from dovetail.air.bow_wave import HalfBody
from dovetail.air.wind import FreeStream, StillAir, WindField
from dovetail.core import Part, kind, parameter
from dovetail.mechanics.chain.attitude import flown, towed


@kind("tanker-air")
class TankerAir(Part):
    """A stream, disturbed by gusts, by the tanker and by the receiver; without a `density` that of the altitude."""

    airspeed: jax.Array = parameter("m/s", "true airspeed", default=200.0, at_least=0.0)
    altitude: jax.Array = parameter("m", "for the standard atmosphere's density", default=8000.0)
    density: jax.Array | None = parameter("kg/m^3", "density of the air", default=None, at_least=0.0)
    gusts: WindField = StillAir()
    wake: WindField = StillAir()
    bow_wave: HalfBody | None = None
    origin: jax.Array = parameter("m", "of the wake, in the tanker's frame", default=(-21.14, 0.0, 0.5))

    def stream(self) -> tuple[jax.Array, jax.Array]:
        """Undisturbed velocity (3,) [m/s] and density [kg/m^3]."""
        density = StandardAtmosphere().density(self.altitude) if self.density is None else self.density
        return -self.airspeed * jnp.eye(3)[0], density

    def velocity(self, t: jax.Array, r: jax.Array, nozzle: jax.Array) -> jax.Array:
        """Velocity (3, n) [m/s] at places r (3, n) [m], with a receiver's nozzle at (3,) [m]."""
        wind, density = self.stream()
        stream = FreeStream(self.airspeed, density)
        place = towed(r - self.origin[:, None])
        disturbed = self.wake.velocity(t, place, stream) + self.gusts.velocity(t, place, stream)
        air = wind[:, None] + flown(disturbed)
        return air if self.bow_wave is None else air + self.bow_wave.velocity(t, r - nozzle[:, None], stream)
