"""Two free bodies on one line, by their relative motion: the numerical part of a 1-DOF docking test."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.base import Substructure


@kind("free-pair")
class FreePair(Substructure):
    r"""Two free rigid bodies that approach each other; nothing but the contact acts on them.

    .. math:: m_e \ddot z = F, \qquad m_e = \frac{m_1 m_2}{m_1 + m_2}

    z is how far body 1 (the chaser) has come nearer to body 2 (the target) since the start; F is the
    interface force, negative in contact. Also shown: the kinetic energy of the relative motion (that of
    the common motion never changes). No gravity, orbit or attitude [Bondoky 2020, eqs 4.29 to 4.31].
    """

    m1: jax.Array = parameter("kg", "mass of body 1", above=0.0)
    m2: jax.Array = parameter("kg", "mass of body 2", above=0.0)
    speed: jax.Array = parameter("m/s", "speed of approach at the start", above=0.0)

    @property
    def reduced_mass(self) -> jax.Array:
        """m_e [kg]."""
        return self.m1 * self.m2 / (self.m1 + self.m2)

    def init(self) -> dict[str, jax.Array]:
        return {"z": jnp.zeros_like(self.speed), "v": self.speed}

    def derivative(self, t, x, u):
        return {"z": x["v"], "v": u["force"] / self.reduced_mass}

    def output(self, t, x, u):
        return {
            "displacement": x["z"],
            "velocity": x["v"],
            "acceleration": u["force"] / self.reduced_mass,
            "kinetic_energy": self.reduced_mass * x["v"] ** 2 / 2,
        }
