r"""Mass that falls along a rail: the numerical substructure of a drop test.

.. math:: m\ddot z = F - c\dot z - m g, \qquad z(0) = z_0,\ \dot z(0) = 0

z is the height of the lower edge; the interface displacement is measured from the start, :math:`z - z_0`. Before
contact, :math:`\dot z = -\tfrac{mg}{c}(1 - e^{-ct/m})`. Source: [Bolien 2018, ch. 4].
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Input, Parameter, State, Time, kind, parameter
from dovetail.mechanics.base import Substructure


@kind("drop-mass")
class DropMass(Substructure):
    """Falling mass with viscous drag. The defaults are the published plate."""

    mass: Parameter = parameter("kg", "mass", default=6.5, above=0.0)
    damping: Parameter = parameter("N s/m", "viscous drag of rail and air", default=5.18, at_least=0.0)
    gravity: Parameter = parameter("m/s^2", "gravity", default=9.81)
    height: Parameter = parameter("m", "initial height of the lower edge", default=0.205)

    def init(self) -> tuple[jax.Array, jax.Array]:
        return jnp.zeros(()), jnp.zeros(())

    def derivative(self, t: Time, x: State, u: Input) -> State:
        _, v = x
        return v, (u["force"] - self.damping * v) / self.mass - self.gravity

    def output(self, t: Time, x: State, u: Input) -> dict[str, Any]:
        z, v = x
        _, a = self.derivative(t, x, u)
        return {
            "displacement": z,
            "velocity": v,
            "acceleration": a,
            "kinetic_energy": 0.5 * self.mass * v**2,
        }

    def fallen(self, t: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the distance fallen [m] and the speed [m/s] after t [s] of free fall."""
        rate = self.damping / self.mass
        top = self.gravity / rate
        lost = -jnp.expm1(-rate * t)
        return top * (t - lost / rate), top * lost
