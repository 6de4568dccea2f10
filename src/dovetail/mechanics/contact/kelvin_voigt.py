"""Spring and dashpot side by side: the simplest law, with two defects."""

from __future__ import annotations

import jax

from dovetail.core import choice, constant, kind, parameter
from dovetail.mechanics.contact.normal_law import NormalLaw


@kind("kelvin-voigt")
class KelvinVoigt(NormalLaw):
    r"""Linear, :math:`F = k\,\delta + b\,\dot\delta` [Bondoky 2020, eq. 4.10].

    Its force jumps to :math:`b\dot\delta_i` at first touch, and pulls before the bodies part, unless
    `tension = "clamped"`. Its realised restitution does not depend on the impact speed. Mounts, walls and the feet of
    a gear are described by it where stiffness and damper are known [Schock 2020, eq. 4.38].
    """

    exponent: float = constant("1", "n in the elastic force k depth^n", default=1.0, above=0.0)
    tension: str = choice("clamped", "allowed", about="a pull before separation", default="allowed")
    damping: jax.Array = parameter("N s/m", "b", at_least=0.0, default=0.0)

    def damping_force(self, depth, speed, impact_speed):
        return self.damping * speed
