r"""Modal equations of a rotating blade; modes can be switched on and off during a run.

.. math::
   \ddot\phi_i + 2\nu_i\lambda_i\Omega\,\dot\phi_i + \lambda_i^2\Omega^2\phi_i =
   \frac{1}{I_i}\bigl(M_i(\psi) - L_i(\psi) + Q_i\bigr), \qquad \psi = \Omega t

:math:`M` is the total periodic forcing from a rotor code in trim. :math:`L` is the part caused by that code's own lag
damper, which is subtracted. :math:`Q` is the part of the damper under test, which replaces it [Wallace 2006, eq. 6.2].
The modal coordinates have no unit, so the inertia is in kg m^2 and the forcing in N m. The source divides both by the
blade radius squared, and the forcing by the rotor speed squared as well. Frequencies :math:`\lambda_i\Omega`, inertias
and shapes are those of any `BladeStructure` (`structure`).
"""

from __future__ import annotations

import dataclasses
from typing import Self

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor import forcing
from dovetail.air.rotor.blade_air import BladeAerodynamics
from dovetail.air.rotor.structure import BladeStructure
from dovetail.core import Parameter, Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.kind_names import name_of
from dovetail.core.parameter import all_arrays

PER_MODE = ("damping", "active_modes", "initial_coordinates")


@kind("blade-modes")
class BladeModes(Part):
    """Modes of one blade at a rotor speed: structure, damping and forcing.

    A mode whose `active_modes` is 0 does not move the damper, and neither the damper force nor the forcing acts on it:
    it decays freely. `active_modes` can be scheduled during a run; the piston displacement then jumps by the
    contribution of the mode. With `aerodynamics`, the loads of a rotor's blade elements act on the modes in addition to
    `forcing`.
    """

    structure: BladeStructure
    rotor_speed: Parameter = parameter("rad/s", "angular speed of the rotor", above=0.0)
    damping: Parameter = parameter("1", "structural damping ratios", at_least=0.0)
    forcing: Parameter = parameter(
        "N m", "Fourier coefficients of the total forcing, one row for each mode", default=0.0
    )
    code_damper_forcing: Parameter = parameter(
        "N m", "coefficients of the rotor code's own damper, subtracted", default=0.0
    )
    aerodynamics: BladeAerodynamics | None = None
    forcing_factor: Parameter = parameter(
        "1", "factor on the forcing, for changing flight conditions", default=1.0
    )
    azimuth: Parameter = parameter("rad", "initial azimuth", default=0.0)
    active_modes: Parameter = parameter(
        "1", "1 for active modes, 0 for the others", default=1.0, at_least=0.0, at_most=1.0
    )
    initial_coordinates: Parameter = parameter("1", "initial modal coordinates", default=0.0)

    def __check_init__(self) -> None:
        if not isinstance(self.structure, BladeStructure):
            return
        if not self.structure.has_modes:
            raise ParameterError(
                f"BladeModes.structure: '{name_of(type(self.structure))}' has no modes to move a damper. "
                "Use a tabulated-blade, a hinged-blade or a beam-blade"
            )
        if self.aerodynamics is not None and not self.structure.has_spanwise_shapes:
            raise ParameterError(
                f"BladeModes.aerodynamics: loads along the blade need mode shapes along it, but a "
                f"{name_of(type(self.structure))} has them at the damper only. Use a hinged-blade or a beam-blade"
            )
        if not all_arrays(*(getattr(self, name) for name in PER_MODE)):
            return
        shape = (self.count,)
        for name in PER_MODE:
            value_shape = np.shape(getattr(self, name))
            if value_shape not in ((), shape):
                raise ParameterError(
                    f"BladeModes.{name}: got shape {value_shape} for {shape[0]} modes; expected a scalar or one per "
                    "mode"
                )
        for name in ("forcing", "code_damper_forcing"):
            value_shape = np.shape(getattr(self, name))
            if value_shape and (
                value_shape[0] != shape[0] or len(value_shape) != 2 or value_shape[1] % 2 == 0
            ):
                raise ParameterError(
                    f"BladeModes.{name}: got shape {value_shape}; expected {shape[0]} rows of 1 + 2 H coefficients"
                )

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """Return these modes with one `active_modes` value for each mode, so a schedule can set them individually."""
        return dataclasses.replace(self, active_modes=jnp.broadcast_to(self.active_modes, (self.count,)))

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
        return jnp.sqrt(self.structure.squared_frequencies(self.rotor_speed))

    def init(self) -> dict[str, jax.Array]:
        """Return initial modal coordinates and zero rates."""
        shape = (self.count,)
        return {"phi": jnp.broadcast_to(self.initial_coordinates, shape), "rate": jnp.zeros(shape)}

    def external(self, t) -> jax.Array:
        """Forcing [N m] of each mode without the damper under test."""
        psi = self.azimuth + self.rotor_speed * t
        both = (self.forcing, 1.0), (self.code_damper_forcing, -1.0)
        total = sum(sign * forcing.fourier_series(c, psi) if c.ndim else sign * c for c, sign in both)
        if self.aerodynamics is not None:
            total = total + forcing.fourier_series(
                self.aerodynamics.coefficients(self.structure, self.rotor_speed), psi
            )
        return self.forcing_factor * jnp.broadcast_to(total, (self.count,))

    def acceleration(self, t, x, modal_force: jax.Array) -> jax.Array:
        """Second rate [1/s^2] of the modal coordinates under a damper's modal forcing [N m]."""
        w = self.omega
        restoring = w**2 * x["phi"] + 2.0 * self.damping * w * x["rate"]
        return self.active_modes * (self.external(t) + modal_force) / self.inertia - restoring
