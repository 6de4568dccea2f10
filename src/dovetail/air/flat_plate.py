r"""Drag of a body from its equivalent flat-plate areas.

.. math:: w = R^T v_W - v_B - \omega\times r_{CP},\qquad
   F = \tfrac12\rho\,A\circ w\circ|w|,\qquad M = r_{CP}\times F

in the body's axes, element by element. Each area is exposed to its own wind component, with a drag coefficient of one.
The force acts at a centre of pressure fixed in the body [Schock 2020, sec. 4.3.1]. The source prints the last sign of
the relative wind reversed.
"""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.air.wind import StillAir, WindField
from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.airframe import AirBody
from dovetail.mechanics.bodies import BodyLoad
from dovetail.mechanics.spatial import Wrench


@kind("flat-plates")
class FlatPlates(AirBody):
    """Equivalent flat-plate areas along the body's axes, and their centre of pressure."""

    area: Parameter = parameter(
        "m^2", "equivalent areas along x, y, z", default=(2.0, 2.0, 2.0), at_least=0.0
    )
    centre: Parameter = parameter("m", "centre of pressure from the body's origin", default=(0.0, 0.0, 0.0))

    def wrench(self, velocity, angular_velocity, wind, density=1.225):
        relative = wind - velocity - jnp.cross(angular_velocity, self.centre)
        force = 0.5 * density * self.area * relative * jnp.abs(relative)
        return Wrench(force, jnp.cross(self.centre, force))


@kind("wind-drag")
class WindDrag(BodyLoad):
    """Drag of an airframe in wind, with axes forward, port, up. The wind is evaluated at the airframe's position."""

    plates: FlatPlates = FlatPlates()
    wind: WindField = StillAir()
    density: Parameter = parameter("kg/m^3", "density of the air", default=1.225, at_least=0.0)

    def __check_init__(self) -> None:
        self.wind.check_without_stream("WindDrag.wind")

    @property
    def valid_until(self) -> float:
        """Time [s] up to which wind data are available."""
        return self.wind.valid_until

    def act(self, t, motion):
        plates = FlatPlates(self.plates.area, self.plates.centre - motion.offset)
        wind = self.wind.velocity(t, motion.position) @ motion.rotation
        got = plates.wrench(motion.velocity, motion.spin, wind, self.density)
        return got.f, got.tau
