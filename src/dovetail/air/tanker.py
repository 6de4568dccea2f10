r"""Air behind a tanker for a trailing hose: stream, gusts, the tanker's wake and the receiver's bow wave.

A hose has axes x forward, y to starboard, z down (see `stream`); gusts and wakes of this room have x
downstream, y down, z to starboard, with the tow point as origin. Wing-tip
vortices lie at the wing's span and height, so the wake's origin may be put elsewhere than the tow point.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.atmosphere import StandardAtmosphere
from dovetail.air.bow_wave import BowWave, NoBowWave
from dovetail.air.stream import Stream
from dovetail.air.turbulence import StillAir, Turbulence
from dovetail.air.wake import NoWake, Wake
from dovetail.core import kind, parameter
from dovetail.mechanics.chain.attitude import flown, towed


@kind("tanker-air")
class TankerAir(Stream):
    """The stream at an altitude, disturbed by gusts, by the tanker and by the receiver."""

    airspeed: jax.Array = parameter("m/s", "true airspeed", default=200.0, above=0.0)
    altitude: jax.Array = parameter("m", "for the standard atmosphere's density", default=8000.0)
    gusts: Turbulence = StillAir()
    wake: Wake = NoWake()
    bow_wave: BowWave = NoBowWave()
    origin: jax.Array = parameter("m", "of the wake, in the tanker's frame", default=(-21.14, 0.0, 0.5))

    def stream(self):
        return -self.airspeed * jnp.eye(3)[0], StandardAtmosphere().density(self.altitude)

    def velocity(self, t, r, nozzle):
        stream, density = self.stream()
        place = towed(r - self.origin[:, None])
        disturbed = self.wake.velocity(place, self.airspeed, density) + self.gusts.at(
            t, place[0], self.airspeed
        )
        return stream[:, None] + flown(disturbed) + self.bow_wave.velocity(r, nozzle, self.airspeed)
