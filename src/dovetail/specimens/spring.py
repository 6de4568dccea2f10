"""Linear spring with optional parallel damper."""

from __future__ import annotations

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.base import Memoryless


@kind("spring")
class Spring(Memoryless):
    r"""Linear spring and damper to the ground, :math:`F = -k x - c \dot{x}`."""

    k: Parameter = parameter("N/m", "stiffness", at_least=0.0)
    c: Parameter = parameter("N s/m", "damping", at_least=0.0, default=0.0)

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {"force": -self.k * u["displacement"] - self.c * u["velocity"]}
