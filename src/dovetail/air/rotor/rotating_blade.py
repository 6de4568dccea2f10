r"""Rotor blade with the full kinematics of its lag damper.

Flap and lag angle at the damper are sums over the modes; the controls prescribe the pitch:

.. math::
   \beta = \beta_0 + R\sum_i w'_i\phi_i, \quad \zeta = \zeta_0 + R\sum_i \bar v'_i\phi_i, \quad
   \theta = \theta_0 + \theta_D - A_1\cos\psi - B_1\sin\psi

The lag slope of the third mode changes with pitch, which adds a part of the fourth mode:
:math:`\bar v'_3 = v'_3 + c\,\Delta\theta\,v'_4`, :math:`\Delta\theta = \theta_0 - A_1\cos\psi - B_1\sin\psi`
[Wallace 2006, eqs 6.3-6.8 and app. B]. The rates are exact derivatives, including the derivative of the changing slope.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.air.rotor.blade_attachment import Attachment
from dovetail.air.rotor.modes import BladeModes
from dovetail.air.rotor.structure import BladeShapes
from dovetail.core import RK4, Input, Output, Parameter, State, Time, choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.base import Substructure


@kind("rotating-blade")
class RotatingBlade(Substructure):
    r"""Modes, controls and damper attachment; the interface displacement is the extension of the damper.

    The force F acts on the blade along the damper's axis, positive outwards. `force_projection` selects its modal
    forcing. With "small-angle" it is the sum of seven terms of the source (with a missing plus sign in the third term
    restored), with d0 = (x, y, z) and the force :math:`F_C` in rotor axes,

    .. math::
       Q_i/R = F_{Cx}(-\theta y - z - x\beta)\,w'_i + F_{Cx}(\theta z - y - x\zeta)\,\bar v'_i
       + F_{Cx}(-\beta y + \zeta z)\,t_i + F_{Cy}(\bar v_i - z\,t_i) + F_{Cz}(w_i + y\,t_i)

    With "virtual-work" it is exactly :math:`Q_i = F\,\partial L/\partial\phi_i`, which has no twist term. Both agree to
    first order in the angles, including the angle of the damper's axis to x, if the deflections are those of a blade
    that is rigid from hinge to damper, w = x w' and v = x v', and the twist t is zero.

    The excitation of the test does not act on the blade. The displacement is relative to the damper's length with the
    modes at zero and the pitch at its mean.
    """

    # a damper force has kinks, on which methods of higher order are less accurate than this one
    reference_settings: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 4}

    modes: BladeModes
    attachment: Attachment
    pitch_coupling: Parameter = parameter(
        "1/rad",
        "change of the third mode's lag shape with pitch, as a fraction of the fourth mode's",
        default=0.0,
    )
    coning: Parameter = parameter("rad", "flap angle beta_0 without modes", default=0.0)
    lag_offset: Parameter = parameter("rad", "lag angle zeta_0 without modes", default=0.0)
    collective: Parameter = parameter("rad", "collective pitch theta_0", default=0.0)
    built_in_pitch: Parameter = parameter("rad", "built-in pitch theta_D at the damper's end", default=0.0)
    lateral_cyclic: Parameter = parameter("rad", "cyclic pitch A1", default=0.0)
    longitudinal_cyclic: Parameter = parameter("rad", "cyclic pitch B1", default=0.0)
    force_projection: str = choice(
        "small-angle",
        "virtual-work",
        about="projection of the damper force on the modes",
        default="small-angle",
    )

    def __check_init__(self) -> None:
        if not isinstance(self.modes, BladeModes) or not all_concrete(self.pitch_coupling):
            return
        if float(self.pitch_coupling) != 0.0 and self.modes.count < 4:
            raise ParameterError(
                f"RotatingBlade.pitch_coupling: couples the third mode to the fourth, but there are "
                f"{self.modes.count} modes; set it to 0"
            )

    @property
    def shapes(self) -> BladeShapes:
        """Mode shapes at the damper."""
        return self.modes.structure.shapes_at_damper(self.attachment.hinge[0] + self.attachment.arm[0])

    def init(self) -> dict[str, jax.Array]:
        return self.modes.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return {"phi": x["rate"], "rate": self._acceleration(t, x, u)}

    def output(self, t: Time, x: State, u: Input) -> Output:
        arguments = (jnp.asarray(t, dtype=float), x["phi"])

        def velocity(t, phi, rate):
            return jax.jvp(self.length, (t, phi), (jnp.ones_like(t), rate))[1]

        forward = (jnp.ones_like(arguments[0]), x["rate"], self._acceleration(t, x, u))
        v, a = jax.jvp(velocity, (*arguments, x["rate"]), forward)
        flap, lag, _ = self.angles(*arguments)
        mean = self.attachment.length(self.coning, self.lag_offset, self.collective + self.built_in_pitch)
        return {
            "displacement": self.length(*arguments) - mean,
            "velocity": v,
            "acceleration": a,
            "modal_displacement": x["phi"],
            "flap_angle": flap,
            "lag_angle": lag,
        }

    def angles(self, t, phi) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Flap, lag and pitch angle [rad] at the damper."""
        phi = self.modes.active_modes * phi
        cyclic, shapes, radius = self._cyclic(t), self.shapes, self.modes.structure.reach
        flap = self.coning + radius * jnp.sum(shapes.flap_slope * phi)
        lag = self.lag_offset + radius * jnp.sum(self._with_pitch(shapes.lag_slope, cyclic) * phi)
        return flap, lag, self.collective + self.built_in_pitch + cyclic

    def length(self, t, phi) -> jax.Array:
        """Length of the damper [m]."""
        return self.attachment.length(*self.angles(t, phi))

    def participation(self, t=0.0) -> jax.Array:
        """Piston displacement for a unit of each mode [m], about zero modes; the `participation` of `ModalBlade`."""
        return jax.grad(self.length, argnums=1)(jnp.asarray(t, dtype=float), jnp.zeros(self.modes.count))

    def modal_force(self, t, phi, force) -> jax.Array:
        """Modal forcing Q [N m] from a damper force [N]."""
        if self.force_projection == "virtual-work":
            return force * jax.grad(self.length, argnums=1)(jnp.asarray(t, dtype=float), phi)
        flap, lag, pitch = angles = self.angles(t, phi)
        fx, fy, fz = force * self.attachment.axis(*angles)
        x, y, z = self.attachment.arm
        cyclic, s = self._cyclic(t), self.shapes
        slope, deflection = (self._with_pitch(shape, cyclic) for shape in (s.lag_slope, s.lag))
        terms = (
            fx * (-pitch * y - z - x * flap) * s.flap_slope,
            fx * (pitch * z - y - x * lag) * slope,
            fx * (-flap * y + lag * z) * s.twist,
            fy * deflection,
            -fy * z * s.twist,
            fz * s.flap,
            fz * y * s.twist,
        )
        return self.modes.structure.reach * sum(terms)

    def _cyclic(self, t):
        psi = self.modes.azimuth + self.modes.rotor_speed * t
        return -self.lateral_cyclic * jnp.cos(psi) - self.longitudinal_cyclic * jnp.sin(psi)

    def _with_pitch(self, shape, cyclic):
        """Lag shape with the fourth mode's contribution to the third."""
        if self.modes.count < 4:
            return shape
        return shape.at[2].add(self.pitch_coupling * (self.collective + cyclic) * shape[3])

    def _acceleration(self, t, x, u):
        return self.modes.acceleration(t, x, self.modal_force(t, x["phi"], u["force"]))
