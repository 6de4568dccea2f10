r"""Impact pair on an actuator that deflects under the contact force.

A piezo stack acts as a spring: 20 N/um deflects 75 um under 1.5 kN, comparable with the penetration of the contact. Its
position loop removes the deflection with a finite speed. By superposition the motion under load is the motion without
load minus

.. math:: W(s)\,F, \qquad W = \frac1{k_s}\cdot\frac{1}{\{d, w\}}\cdot\frac{s}{s + \omega_c}

with the stack stiffness :math:`k_s`, its loaded resonance, and the low-frequency sensitivity of a loop with integral
action of crossover :math:`\omega_c`. This effect is not modelled in [Bondoky 2020]; it is one reason why real contacts
last longer there than modelled ones. Limits: the model is linear, so it does not show a saturated drive; the
resonances of the position loop are not modelled.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.impact_pair import LinePair


@kind("compliant-impact-pair")
class CompliantImpactPair(LinePair):
    """Impact pair with one body on a compliant actuator under position control; otherwise like `ImpactPair`."""

    support_stiffness: Parameter = parameter("N/m", "stiffness of the stack", above=0.0, default=20e6)
    resonance_omega: Parameter = parameter(
        "rad/s", "natural angular frequency of the loaded stack", above=0.0, default=11660.0
    )
    damping: Parameter = parameter("1", "damping ratio of the loaded stack", above=0.0, default=0.0559)
    crossover_omega: Parameter = parameter(
        "rad/s", "crossover of the loop that removes the deflection", at_least=0.0, default=853.0
    )

    def init(self) -> dict[str, jax.Array]:
        zeros = dict.fromkeys(("deflection", "deflection_rate", "taken_back"), jnp.zeros_like(self.gap))
        return {**super().init(), **zeros}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        force = self.law.force(*self._contact(x, u))
        w = self.resonance_omega
        acceleration = (
            w**2 * (force / self.support_stiffness - x["deflection"])
            - 2 * self.damping * w * x["deflection_rate"]
        )
        return {
            **super().derivative(t, x, u),
            "deflection": x["deflection_rate"],
            "deflection_rate": acceleration,
            "taken_back": self._return_rate(x),
        }

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {**super().output(t, x, u), "support_deflection": x["deflection"] - x["taken_back"]}

    def _return_rate(self, x: dict[str, jax.Array]) -> jax.Array:
        return self.crossover_omega * (x["deflection"] - x["taken_back"])

    def approach_motion(self, x: State, u: Input) -> tuple[jax.Array, jax.Array]:
        distance = u["displacement"] - (x["deflection"] - x["taken_back"])
        return distance, u["velocity"] - (x["deflection_rate"] - self._return_rate(x))
