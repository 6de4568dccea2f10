r"""Modal forcing of one blade over a revolution, from the blade elements of a rotor.

In steady flight the elements of a blade at azimuth :math:`\psi` carry the thrust :math:`dT` and the force :math:`dX`
along their path. The modal moment for the shapes w and v is

.. math:: M_i(\psi) = R\sum_e \big(w_i(r_e)\,dT_e(\psi) + v_i(r_e)\,dX_e(\psi)\big)

written as a Fourier series. The elements move like those of a rigid blade, so the aerodynamic damping of a mode must be
included in its damping ratio. The azimuth is measured from the nose, as in the rotor.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.forcing import fourier_coefficients
from dovetail.air.rotor.rotor import Rotor
from dovetail.air.rotor.structure import BladeStructure
from dovetail.core import Parameter, Part, count, kind, parameter
from dovetail.core.errors import ParameterError


@kind("blade-aerodynamics")
class BladeAerodynamics(Part):
    """Forcing of the modes of one blade by a rotor in steady flight."""

    rotor: Rotor
    collective: Parameter = parameter("rad", "collective pitch", default=0.0)
    cyclic: Parameter = parameter("rad", "amplitude of the cyclic pitch", default=0.0)
    azimuth: Parameter = parameter("rad", "azimuth of the largest pitch", default=0.0)
    velocity: Parameter = parameter("m/s", "velocity of the hub: forward, port, up", default=(0.0, 0.0, 0.0))
    density: Parameter = parameter("kg/m^3", "density of the air", default=1.225, at_least=0.0)
    harmonics: int = count("number of harmonics per revolution", default=4, at_least=1)

    def __check_init__(self) -> None:
        if self.rotor.sectors <= 2 * self.harmonics:
            raise ParameterError(
                f"BladeAerodynamics.harmonics: got {self.harmonics}; expected at most {(self.rotor.sectors - 1) // 2} "
                f"for the rotor's {self.rotor.sectors} sectors"
            )

    def coefficients(self, structure: BladeStructure, speed: jax.Array) -> jax.Array:
        """Fourier coefficients of the modal forcing [N m] at a rotor speed [rad/s], (modes, 1 + 2 H)."""
        controls = Controls(speed, self.collective, self.cyclic, self.azimuth)
        still = jnp.zeros(3)
        disc = self.rotor.disc(controls, self.velocity, still, still, self.density)
        shapes = structure.shapes_at(self.rotor.blade.effective_elements().r)
        moment = structure.reach * (
            shapes.flap @ disc.thrust.T + shapes.lag @ disc.along.T
        )  # (modes, sectors)
        return fourier_coefficients(moment, self.harmonics)
