"""Linear spring with optional parallel damper."""

from __future__ import annotations

import jax

from dovetail.core import kind, parameter
from dovetail.specimens.base import Memoryless


@kind("spring")
class Spring(Memoryless):
    r"""Linear spring and damper to the ground, :math:`F = -k x - c \dot{x}`."""

    k: jax.Array = parameter("N/m", "stiffness", at_least=0.0)
    c: jax.Array = parameter("N s/m", "damping", at_least=0.0, default=0.0)

    def output(self, t, x, u):
        return {"force": -self.k * u["displacement"] - self.c * u["velocity"]}
