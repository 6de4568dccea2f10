r"""What the air does to the modes of one blade over a revolution, from the blade elements of a rotor.

In steady flight the elements of a blade at azimuth :math:`\psi` carry the thrust :math:`dT` and the force :math:`dX`
along their path, and the modes of shapes w and v feel

.. math:: M_i(\psi) = R\sum_e \big(w_i(r_e)\,dT_e(\psi) + v_i(r_e)\,dX_e(\psi)\big)

written as a Fourier series. The elements move as a stiff blade's do: what the air damps of a mode's own motion belongs
into its damping ratio. The azimuth counts as the rotor's does, from the nose.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.forcing import coefficients_of
from dovetail.air.rotor.rotor import Rotor
from dovetail.air.rotor.structure import BladeStructure
from dovetail.core import Part, count, kind, parameter
from dovetail.core.errors import ParameterError


@kind("blade-air")
class BladeAir(Part):
    """A rotor in steady flight, seen by one of its blades."""

    rotor: Rotor
    collective: jax.Array = parameter("rad", "collective pitch", default=0.0)
    cyclic: jax.Array = parameter("rad", "amplitude of the cyclic pitch", default=0.0)
    azimuth: jax.Array = parameter("rad", "azimuth of the largest pitch", default=0.0)
    velocity: jax.Array = parameter("m/s", "of the hub: forward, port, up", default=(0.0, 0.0, 0.0))
    density: jax.Array = parameter("kg/m^3", "of the air", default=1.225, at_least=0.0)
    harmonics: int = count("of a revolution that are kept", default=4, at_least=1)

    def __check_init__(self):
        if self.rotor.sectors <= 2 * self.harmonics:
            raise ParameterError(
                f"BladeAir.harmonics: got {self.harmonics}; the rotor's {self.rotor.sectors} sectors hold no more than "
                f"{(self.rotor.sectors - 1) // 2}"
            )

    def coefficients(self, structure: BladeStructure, speed: jax.Array) -> jax.Array:
        """Of the modes' forcing [N m] at a rotor speed [rad/s], (modes, 1 + 2 H), as `forcing.series` reads them."""
        controls = Controls(speed, self.collective, self.cyclic, self.azimuth)
        still = jnp.zeros(3)
        disc = self.rotor.disc(controls, self.velocity, still, still, self.density)
        shapes = structure.at(self.rotor.blade.cut().r)
        moment = structure.reach * (
            shapes.flap @ disc.thrust.T + shapes.lag @ disc.along.T
        )  # (modes, sectors)
        return coefficients_of(moment, self.harmonics)
