"""Storey on the laboratory floor: mass, damper and spring, with the motion imposed at the mass."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.base import Memoryless


@kind("storey")
class Storey(Memoryless):
    r"""Mass, damper and spring to the ground, :math:`F = -(m\ddot x + c\dot x + k x)`.

    The damping is given as a ratio, :math:`c = 2\zeta\sqrt{k m}`. The mass makes the force depend on the
    imposed acceleration, so a delay returns a delayed inertia to the numerical substructure.
    """

    inertial: ClassVar[bool] = True
    dynamic_effect: ClassVar[str] = "the inertia of its floor"

    mass: Parameter = parameter("kg", "mass", above=0.0)
    stiffness: Parameter = parameter("N/m", "stiffness", above=0.0)
    damping_ratio: Parameter = parameter("1", "damping ratio", default=0.0, at_least=0.0)

    @property
    def damping(self) -> jax.Array:
        """Damping [N s/m]."""
        return 2 * self.damping_ratio * jnp.sqrt(self.stiffness * self.mass)

    def output(self, t: Time, x: State, u: Input) -> Output:
        inertia = self.mass * u["acceleration"] + self.damping * u["velocity"]
        return {"force": -inertia - self.stiffness * u["displacement"]}
