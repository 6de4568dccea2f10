"""Mass between actuators, connected by springs and dampers: a specimen with its own dynamics."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.base import Specimen


@kind("middle-mass")
class MiddleMass(Specimen):
    r"""Free mass connected to each actuator i by a spring and a damper.

    .. math::

        F_i = c_i(\dot x_3 - \dot x_i) + k_i(x_3 - x_i), \qquad m\ddot{x}_3 = -\sum_i F_i

    With two actuators it is the physical part of the three-mass study [Wallace 2006, sec. 2.3.2]. The numerical masses
    there are `Oscillator`\ s that are coupled only through this mass. Stiffness and damping are scalars, or one value
    for each actuator.

    In the mode in which the actuators move together the mass acts as an inertia: an *early* force is negative damping
    there, so such a test has a forward limit as well as a critical delay. The force does not depend on the imposed
    acceleration, so the delay equation is not neutral. Not modelled: friction of the mass on its guides.
    """

    references: ClassVar[dict[str, str]] = {"wallace2006thesis": "the three-mass specimen"}
    dynamic_effect: ClassVar[str] = "the inertia of its mass"

    m: Parameter = parameter("kg", "mass", above=0.0)
    k: Parameter = parameter("N/m", "stiffness to each actuator", at_least=0.0)
    c: Parameter = parameter("N s/m", "damping to each actuator", at_least=0.0, default=0.0)
    x0: Parameter = parameter("m", "initial displacement", default=0.0)
    v0: Parameter = parameter("m/s", "initial velocity", default=0.0)

    def init(self) -> dict[str, jax.Array]:
        return {"x": jnp.asarray(self.x0), "v": jnp.asarray(self.v0)}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return {"x": x["v"], "v": -jnp.sum(self._force(x, u)) / self.m}

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {"force": self._force(x, u), "mass_displacement": x["x"]}

    def _force(self, x: dict[str, jax.Array], u: dict[str, jax.Array]) -> jax.Array:
        return self.c * (x["v"] - u["velocity"]) + self.k * (x["x"] - u["displacement"])
