r"""An impact pair on an actuator that gives way under the force it meets.

A piezo stack is a spring: 20 N/um yields 75 um under 1.5 kN, comparable with the depth of the contact. Its
position loop takes the deflection back, but only at its own pace. By superposition the motion under load is
that without load less

.. math:: W(s)\,F, \qquad W = \frac1{k_s}\cdot\frac{1}{\{d, w\}}\cdot\frac{s}{s + \omega_c}

stack stiffness :math:`k_s`, its loaded resonance, and the low-frequency sensitivity of a loop with integral
action of crossover :math:`\omega_c`. Not modelled in [Bondoky 2020], and one reason why real contacts
last longer there than modelled ones. Limits: linear, so a saturated drive does not show; the
loop's own resonances are left out.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.specimens.impact_pair import PairOnALine


@kind("yielding-pair")
class YieldingPair(PairOnALine):
    """Two specimens, one of them on a compliant actuator under position control; else an `ImpactPair`."""

    support: jax.Array = parameter("N/m", "stiffness of the stack", above=0.0, default=20e6)
    resonance_omega: jax.Array = parameter(
        "rad/s", "natural angular frequency of the loaded stack", above=0.0, default=11660.0
    )
    damping: jax.Array = parameter("1", "damping ratio of that", above=0.0, default=0.0559)
    crossover_omega: jax.Array = parameter(
        "rad/s", "crossover of the loop that takes the deflection back", at_least=0.0, default=853.0
    )

    def init(self) -> dict[str, jax.Array]:
        own = dict.fromkeys(("deflection", "deflection_rate", "taken_back"), jnp.zeros_like(self.gap))
        return {**super().init(), **own}

    def derivative(self, t, x, u):
        force = self.law.force(*self._contact(x, u))
        w = self.resonance_omega
        pull = w**2 * (force / self.support - x["deflection"]) - 2 * self.damping * w * x["deflection_rate"]
        return {
            **super().derivative(t, x, u),
            "deflection": x["deflection_rate"],
            "deflection_rate": pull,
            "taken_back": self._return_rate(x),
        }

    def output(self, t, x, u):
        return {**super().output(t, x, u), "support_deflection": x["deflection"] - x["taken_back"]}

    def _return_rate(self, x):
        return self.crossover_omega * (x["deflection"] - x["taken_back"])

    def moved(self, x, u):
        way = u["displacement"] - (x["deflection"] - x["taken_back"])
        return way, u["velocity"] - (x["deflection_rate"] - self._return_rate(x))
