r"""Contact stiffness, :math:`k` in :math:`F = k\,\delta^n`: a constant, or Hertz stiffness of two bodies.

.. math::

    k = \tfrac43 E^* \sqrt{R^*}, \qquad
    \frac1{E^*} = \frac{1-\nu_1^2}{E_1} + \frac{1-\nu_2^2}{E_2}, \qquad
    \frac1{R^*} = \frac1{R_1} + \frac1{R_2}

[Hertz 1882; Bondoky 2020, eqs 4.7 to 4.9]. A flat body has an infinite radius. Assumes small strain, a
contact area small against the radii, no friction.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.mechanics.contact.material import Material


class ContactStiffness(Part):
    """Stiffness of a contact law; base class."""

    @property
    @abstractmethod
    def value(self) -> jax.Array:
        """Stiffness k [N/m^n]."""


@kind("stiffness")
class ConstantStiffness(ContactStiffness):
    """Constant contact stiffness, known or fitted."""

    k: Parameter = parameter("N/m^1.5", "stiffness; N/m^n for another exponent", above=0.0)

    @property
    def value(self) -> jax.Array:
        return self.k


@kind("hertz-pair")
class HertzPair(ContactStiffness):
    """Hertz stiffness of two elastic bodies with spherical or flat ends."""

    material_1: Material
    material_2: Material
    radius_1: Parameter = parameter("m", "radius of body 1; infinite for a flat", above=0.0, finite=False)
    radius_2: Parameter = parameter("m", "radius of body 2; infinite for a flat", above=0.0, default=jnp.inf)

    @property
    def modulus(self) -> jax.Array:
        """Combined modulus E* [Pa]."""
        return 1 / (1 / self.material_1.plane_modulus + 1 / self.material_2.plane_modulus)

    @property
    def radius(self) -> jax.Array:
        """Combined radius R* [m]."""
        return 1 / (1 / self.radius_1 + 1 / self.radius_2)

    @property
    def value(self) -> jax.Array:
        return 4 / 3 * self.modulus * jnp.sqrt(self.radius)


def as_stiffness(value: Any) -> Any:
    """Return a number or several as a `ConstantStiffness`, any other value unchanged."""
    return ConstantStiffness(value) if isinstance(value, int | float | tuple | list | jax.Array) else value
