"""Elastic materials of bodies in contact: Young's modulus and Poisson's ratio.

Named materials: [Bondoky 2020, tables 4.2 and 8.1]. For others use `Material(modulus=..., poisson=...)`. The source
quotes two aluminium alloys.
"""

from __future__ import annotations

import jax

from dovetail.core import Part, kind, parameter


def modulus(default: float) -> jax.Array:
    """Return a field for Young's modulus with a default [Pa]."""
    field: jax.Array = parameter("Pa", "Young's modulus", above=0.0, default=default)
    return field


def poisson(default: float) -> jax.Array:
    """Return a field for Poisson's ratio with a default."""
    field: jax.Array = parameter("1", "Poisson's ratio", above=-1.0, at_most=0.5, default=default)
    return field


@kind("material")
class Material(Part):
    """Linear elastic, isotropic material (default: steel)."""

    modulus: jax.Array = modulus(200e9)  # [Pa]
    poisson: jax.Array = poisson(0.3)

    @property
    def plane_modulus(self) -> jax.Array:
        r"""Modulus in plane strain, :math:`E/(1-\nu^2)` [Pa]."""
        return self.modulus / (1 - self.poisson**2)


@kind("steel")
class Steel(Material):
    """Steel [Bondoky 2020, table 4.2]."""


@kind("aluminium")
class Aluminium(Material):
    """Aluminium [Bondoky 2020, table 4.2]."""

    modulus: jax.Array = modulus(69e9)  # [Pa]
    poisson: jax.Array = poisson(0.34)


@kind("polyimide")
class Polyimide(Material):
    """Polyimide of the probe tip [Bondoky 2020, table 4.2]."""

    modulus: jax.Array = modulus(4e9)  # [Pa]
    poisson: jax.Array = poisson(0.35)


@kind("rubber")
class Rubber(Material):
    """Rubber [Bondoky 2020, table 4.2]."""

    modulus: jax.Array = modulus(0.1e9)  # [Pa]
    poisson: jax.Array = poisson(0.5)


@kind("aluminium-2007")
class Aluminium2007(Material):
    """Aluminium of the test specimens, AL6060 or EN AW-2007 T4 [Bondoky 2020, table 8.1]."""

    modulus: jax.Array = modulus(71e9)  # [Pa]
    poisson: jax.Array = poisson(0.33)


@kind("peek")
class PEEK(Material):
    """PEEK, Ketron 1000 [Bondoky 2020, table 8.1]."""

    modulus: jax.Array = modulus(4.34e9)  # [Pa]
    poisson: jax.Array = poisson(0.4)


@kind("ptfe")
class PTFE(Material):
    """PTFE, Teflon [Bondoky 2020, table 8.1]; stiffer in measured impacts, at their strain rates."""

    modulus: jax.Array = modulus(0.45e9)  # [Pa]
    poisson: jax.Array = poisson(0.42)
