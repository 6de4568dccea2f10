r"""A blade that moves its lag damper in proportion to its modes: the kinematics in one number a mode."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor.modes import BladeModes
from dovetail.core import RK4, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import arrived
from dovetail.mechanics.base import Substructure


@kind("modal-blade")
class ModalBlade(Substructure):
    r"""A rotating blade seen from its damper, :math:`z = \sum_i p_i\phi_i` and :math:`Q_i = p_i F`.

    The geometry of the attachment enters as participations p, constant for small motion; they serve for the
    motion and, by virtual work, for the force. A damper of slope C then has the modal strength
    :math:`\kappa_i = C p_i^2/I_i` (see `dovetail.stability.damper_modes`). For the whole kinematics take
    `RotatingBlade`, whose `participation` at trim gives the p of this model.

    The blade is driven by its own periodic forcing; the excitation of a test does not reach it.
    """

    # a damper has kinks, on which methods of high order do worse than this one
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 4}

    modes: BladeModes
    participation: jax.Array = parameter("m", "piston displacement for a unit of each mode")

    def __check_init__(self):
        p, modes = self.participation, self.modes
        if not arrived(p) or not isinstance(modes, BladeModes):
            return
        if np.shape(p) != (modes.count,):
            raise ParameterError(
                f"ModalBlade.participation: has shape {np.shape(p)} for {modes.count} modes; give one a mode"
            )

    def init(self) -> dict[str, jax.Array]:
        return self.modes.init()

    def derivative(self, t, x, u):
        return {"phi": x["rate"], "rate": self._acceleration(t, x, u)}

    def output(self, t, x, u):
        p = self.modes.mask * self.participation
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
