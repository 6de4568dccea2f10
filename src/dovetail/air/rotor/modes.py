r"""Modal equations of a blade in rotation, with the modes that take part selectable on line.

.. math::
   \ddot\phi_i + 2\nu_i\lambda_i\Omega\,\dot\phi_i + \lambda_i^2\Omega^2\phi_i =
   \frac{1}{I_i}\bigl(M_i(\psi) - L_i(\psi) + Q_i\bigr), \qquad \psi = \Omega t

:math:`M` is the total periodic forcing of a rotor code in trim, :math:`L` the share its own lag damper had in
it, which is taken out, and :math:`Q` the share of the damper under test, which takes its place
[Wallace 2006, eq. 6.2]. The modal coordinates have no unit, so the inertia is in kg m^2 and the forcing in
N m; the source divides both by the blade radius squared, and the forcing by the rotor speed squared as well.
Frequencies :math:`\lambda_i\Omega`, inertias and shapes are those of any blade of the family (`structure`).
"""

from __future__ import annotations

import dataclasses
from typing import Self

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor import forcing
from dovetail.air.rotor.blade_air import BladeAir
from dovetail.air.rotor.structure import BladeStructure
from dovetail.core import Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import name_of
from dovetail.core.parameter import arrived

PER_MODE = ("damping", "mask", "start")


@kind("blade-modes")
class BladeModes(Part):
    """Modes of one blade that turns at a speed: their structure, damping, and what drives them.

    A mode whose `mask` is 0 neither moves the damper nor feels it nor the forcing: it rings down by itself.
    The mask can be scheduled during a run (`numerical.modes.mask`); the piston then jumps by what the mode
    held. With `air` the loads of a rotor's blade elements drive the modes beside what is listed.
    """

    structure: BladeStructure
    rotor_speed: jax.Array = parameter("rad/s", "angular speed of the rotor", above=0.0)
    damping: jax.Array = parameter("1", "structural damping ratios", at_least=0.0)
    forcing: jax.Array = parameter(
        "N m", "Fourier coefficients of the total forcing, a row a mode", default=0.0
    )
    code_damper_forcing: jax.Array = parameter(
        "N m", "those of the rotor code's own damper, taken out", default=0.0
    )
    air: BladeAir | None = None
    load: jax.Array = parameter("1", "factor on the forcing, for flight that changes", default=1.0)
    azimuth: jax.Array = parameter("rad", "azimuth at the start", default=0.0)
    mask: jax.Array = parameter(
        "1", "1 for modes that take part, 0 for the others", default=1.0, at_least=0.0, at_most=1.0
    )
    start: jax.Array = parameter("1", "modal coordinates at the start", default=0.0)

    def __check_init__(self):
        if not isinstance(self.structure, BladeStructure):
            return
        if not self.structure.gives:
            raise ParameterError(
                f"BladeModes.structure: a {name_of(type(self.structure))} has no modes that could move a damper. "
                "Do: take a listed-blade, a hinged-blade or a beam-blade"
            )
        if self.air is not None and not self.structure.everywhere:
            raise ParameterError(
                f"BladeModes.air: loads along the blade need shapes along it, which a "
                f"{name_of(type(self.structure))} has at the damper only. Do: take a hinged-blade or a beam-blade"
            )
        if not arrived(*(getattr(self, name) for name in PER_MODE)):
            return
        shape = (self.count,)
        for name in PER_MODE:
            got = np.shape(getattr(self, name))
            if got not in ((), shape):
                raise ParameterError(
                    f"BladeModes.{name}: has shape {got} for {shape[0]} modes; give one value, or one a mode"
                )
        for name in ("forcing", "code_damper_forcing"):
            got = np.shape(getattr(self, name))
            if got and (got[0] != shape[0] or len(got) != 2 or got[1] % 2 == 0):
                raise ParameterError(
                    f"BladeModes.{name}: has shape {got}; give {shape[0]} rows of 1 + 2 H coefficients"
                )

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """These modes with one mask each, so that a schedule can set them one by one."""
        return dataclasses.replace(self, mask=jnp.broadcast_to(self.mask, (self.count,)))

    @property
    def count(self) -> int:
        """Number of modes."""
        return self.structure.count

    @property
    def inertia(self) -> jax.Array:
        """Modal inertias [kg m^2]."""
        return self.structure.inertias

    @property
    def omega(self) -> jax.Array:
        """Natural frequencies [rad/s] at the rotor's speed."""
        return jnp.sqrt(self.structure.squares(self.rotor_speed))

    def init(self) -> dict[str, jax.Array]:
        """Modal coordinates and rates at the start: at rest."""
        shape = (self.count,)
        return {"phi": jnp.broadcast_to(self.start, shape), "rate": jnp.zeros(shape)}

    def external(self, t) -> jax.Array:
        """Forcing [N m] of every mode without the damper under test."""
        psi = self.azimuth + self.rotor_speed * t
        both = (self.forcing, 1.0), (self.code_damper_forcing, -1.0)
        total = sum(sign * forcing.series(c, psi) if c.ndim else sign * c for c, sign in both)
        if self.air is not None:
            total = total + forcing.series(self.air.coefficients(self.structure, self.rotor_speed), psi)
        return self.load * jnp.broadcast_to(total, (self.count,))

    def acceleration(self, t, x, share: jax.Array) -> jax.Array:
        """Second rate [1/s^2] of the modal coordinates under a damper's modal forcing [N m]."""
        w = self.omega
        own = w**2 * x["phi"] + 2.0 * self.damping * w * x["rate"]
        return self.mask * (self.external(t) + share) / self.inertia - own
