r"""Blade whose lag damper displacement is a linear combination of its modes, with one factor for each mode."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor.modes import BladeModes
from dovetail.core import RK4, Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays
from dovetail.mechanics.base import Substructure


@kind("modal-blade")
class ModalBlade(Substructure):
    r"""Rotating blade with its damper as interface, :math:`z = \sum_i p_i\phi_i` and :math:`Q_i = p_i F`.

    The geometry of the attachment enters as participations p, constant for small motion. They apply to the motion and,
    by virtual work, to the force. A damper of slope C then has the modal strength :math:`\kappa_i = C p_i^2/I_i` (see
    `dovetail.stability.damper_modes`). For the full kinematics use `RotatingBlade`, whose `participation` at trim gives
    the p of this model.

    The blade is driven by its own periodic forcing; the excitation of the test does not act on it.
    """

    # a damper force has kinks, on which methods of higher order are less accurate than this one
    reference_settings: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 4}

    modes: BladeModes
    participation: Parameter = parameter("m", "piston displacement for a unit of each mode")

    def __check_init__(self) -> None:
        p, modes = self.participation, self.modes
        if not all_arrays(p) or not isinstance(modes, BladeModes):
            return
        if np.shape(p) != (modes.count,):
            raise ParameterError(
                f"ModalBlade.participation: got shape {np.shape(p)} for {modes.count} modes; expected one per mode"
            )

    def init(self) -> dict[str, jax.Array]:
        return self.modes.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return {"phi": x["rate"], "rate": self._acceleration(t, x, u)}

    def output(self, t: Time, x: State, u: Input) -> Output:
        p = self.modes.active_modes * self.participation
        return {
            "displacement": jnp.sum(p * x["phi"]),
            "velocity": jnp.sum(p * x["rate"]),
            "acceleration": jnp.sum(p * self._acceleration(t, x, u)),
            "modal_displacement": x["phi"],
        }

    def strength(self, slope) -> jax.Array:
        """Modal strength kappa [1/s] of a damper of `slope` [N s/m]."""
        return slope * self.participation**2 / self.modes.inertia

    def _acceleration(self, t, x, u):
        return self.modes.acceleration(t, x, self.participation * u["force"])
