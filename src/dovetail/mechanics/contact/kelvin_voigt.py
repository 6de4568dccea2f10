"""Linear spring and damper in parallel: the simplest contact law."""

from __future__ import annotations

from dovetail.core import Parameter, choice, constant, kind, parameter
from dovetail.mechanics.contact.normal_law import NormalLaw, Values, ValuesLike


@kind("kelvin-voigt")
class KelvinVoigt(NormalLaw):
    r"""Linear spring and damper, :math:`F = k\,\delta + b\,\dot\delta` [Bondoky 2020, eq. 4.10].

    The force jumps to :math:`b\dot\delta_i` at first contact. It is tensile before separation, unless
    `tension = "clamped"`. The realised restitution does not depend on the impact speed. Suits mounts, walls and feet
    of a gear with known stiffness and damping [Schock 2020, eq. 4.38].
    """

    exponent: float = constant("1", "n in the elastic force k depth^n", default=1.0, above=0.0)
    tension: str = choice("clamped", "allowed", about="tensile force before separation", default="allowed")
    damping: Parameter = parameter("N s/m", "damping coefficient b", at_least=0.0, default=0.0)

    def damping_force(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        return self.damping * speed
