"""Two free bodies on one line: numerical substructure of a docking test with one degree of freedom."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.mechanics.base import Substructure


@kind("free-pair")
class FreePair(Substructure):
    r"""Two free rigid bodies that approach each other along a line; only the contact force acts on them.

    .. math:: m_e \ddot z = F, \qquad m_e = \frac{m_1 m_2}{m_1 + m_2}

    z is the approach of body 1 (chaser) to body 2 (target) since the start. F is the interface force, negative in
    contact. Further output: kinetic energy of the relative motion (that of the common motion is constant). Without
    gravity, orbit and attitude [Bondoky 2020, eqs 4.29 to 4.31].
    """

    m1: Parameter = parameter("kg", "mass of body 1", above=0.0)
    m2: Parameter = parameter("kg", "mass of body 2", above=0.0)
    speed: Parameter = parameter("m/s", "initial approach speed", above=0.0)

    @property
    def reduced_mass(self) -> jax.Array:
        """Reduced mass m_e [kg]."""
        return self.m1 * self.m2 / (self.m1 + self.m2)

    def init(self) -> dict[str, jax.Array]:
        return {"z": jnp.zeros_like(self.speed), "v": self.speed}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return {"z": x["v"], "v": u["force"] / self.reduced_mass}

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {
            "displacement": x["z"],
            "velocity": x["v"],
            "acceleration": u["force"] / self.reduced_mass,
            "kinetic_energy": self.reduced_mass * x["v"] ** 2 / 2,
        }
