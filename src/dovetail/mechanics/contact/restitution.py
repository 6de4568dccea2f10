r"""Coefficient of restitution as a function of the impact speed.

Low-speed laws from the literature. No validated law is known below 0.1 m/s [Bondoky 2020, sec. 4.2.3], so the
default of every contact law is a constant.
"""

from __future__ import annotations

from abc import abstractmethod

import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, Part, kind, parameter


class RestitutionLaw(Part):
    """Coefficient of restitution as a function of the impact speed; base class."""

    @abstractmethod
    def __call__(self, impact_speed: Float[Array, "*m"] | float) -> Float[Array, "*m"]:
        """Return the coefficient of restitution, 0 to 1, at an impact speed [m/s]."""


@kind("goldsmith")
class Goldsmith(RestitutionLaw):
    r"""Linear decrease with the impact speed, :math:`c_r = 1 - \alpha\dot\delta_i`, not below 0.

    alpha is 0.08 to 0.32 s/m for steel, bronze and ivory [Goldsmith 1960; Bondoky 2020, eq. 4.4].
    """

    alpha: Parameter = parameter("s/m", "loss per impact speed", at_least=0.0, default=0.2)

    def __call__(self, impact_speed: Float[Array, "*m"] | float) -> Float[Array, "*m"]:
        return jnp.clip(1 - self.alpha * impact_speed, 0.0, 1.0)


@kind("herbert-mcwhannell-restitution")
class HerbertMcWhannellRestitution(RestitutionLaw):
    r"""Decrease with the cube root of the impact speed, :math:`c_r = 1 - 0.026\,\dot\delta_i^{1/3}`, below 0.3 m/s.

    [Herbert & McWhannell 1977; Bondoky 2020, eq. 4.5]. The factor has the unit (s/m)^(1/3).
    """

    factor: Parameter = parameter(
        "(s/m)^(1/3)", "loss per cube root of impact speed", at_least=0.0, default=0.026
    )

    def __call__(self, impact_speed: Float[Array, "*m"] | float) -> Float[Array, "*m"]:
        return jnp.clip(1 - self.factor * jnp.cbrt(impact_speed), 0.0, 1.0)
