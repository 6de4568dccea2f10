r"""Servo-hydraulic actuator with its load: valve, oil column, natural velocity feedback.

The valve converts the position error into a flow, the oil column converts the flow into a force, and the piston's speed
reduces the flow (natural velocity feedback, the coupling between actuator and load):

.. math:: f = \frac{1}{s + a_3}\Big(\frac{a_1\beta_0}{s^2 + \beta_1 s + \beta_2}(u - x) - a_2 s\,x\Big),
          \qquad (m s^2 + c s + k)\,x = f

The position loop has unity feedback. A gain g outside the loop sets the static amplitude. The closed loop is linear, of
fifth order, without zeros [1]_ [2]_:

.. math:: \frac{x}{u} = \frac{g\,a_1\beta_0}
          {(s^2 + \beta_1 s + \beta_2)\big((s + a_3)(m s^2 + c s + k) + a_2 s\big) + a_1\beta_0}

References
----------
.. [1] Dyke, Spencer, Quast and Sain, J. Engineering Mechanics 121(2), 322-338, 1995.
.. [2] Silva, Gomez, Maghareh, Dyke and Spencer, Mech. Syst. Signal Process. 135, 106381, 2020.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.transfer.closed_loop import ClosedLoop
from dovetail.transfer.lag import hold
from dovetail.transfer.transfer_function import TransferFunction


@kind("servo-hydraulic")
class ServoHydraulic(ClosedLoop):
    """Servo valve, actuator and load in a closed position loop, discretised exactly.

    The load is included, because an actuator of finite stiffness responds differently to a soft and a stiff specimen.
    `mass`, `damping` and `stiffness` are therefore those of the specimen. Not modelled: saturation of the valve and of
    the pressure (put an `AmplitudeLimit` in front, and check the force).
    """

    references: ClassVar[dict[str, str]] = {
        "dyke1995role": "the actuator and its coupling with the load",
        "silva2020benchmark": "the identified servo-hydraulic plant",
    }

    valve_gain: Parameter = parameter("N/m/s^3", "a1 beta0 of the servo valve", above=0.0)
    valve_damping: Parameter = parameter("1/s", "beta1 of the servo valve", above=0.0)
    valve_stiffness: Parameter = parameter("1/s^2", "beta2 of the servo valve", above=0.0)
    leakage: Parameter = parameter("1/s", "a3, the pole of the oil column", at_least=0.0)
    velocity_feedback: Parameter = parameter("N/m", "a2, natural velocity feedback", at_least=0.0)
    mass: Parameter = parameter("kg", "mass of the load", above=0.0)
    damping: Parameter = parameter("N s/m", "damping of the load", default=0.0, at_least=0.0)
    stiffness: Parameter = parameter("N/m", "stiffness of the load", default=0.0, at_least=0.0)
    gain: Parameter = parameter("1", "gain on the demand, outside the position loop", default=1.0, above=0.0)
    hold: str = hold()

    def closed_loop(self) -> TransferFunction:
        """Return the transfer function of the closed loop from demand to displacement."""
        numerator, denominator = _closed_loop_polynomials(
            *(self.mass, self.damping, self.stiffness, self.leakage, self.velocity_feedback),
            *(self.valve_damping, self.valve_stiffness, self.valve_gain, self.gain),
        )
        return TransferFunction(numerator, denominator, self.hold, shape=self.shape)

    def remedy(self, axis: int) -> str:
        return "lower valve_gain, or raise velocity_feedback or valve_damping"


@partial(jax.jit, inline=True)
def _closed_loop_polynomials(*values: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return numerator and denominator of the closed loop, highest power first."""
    m, c, k, a3, a2, b1, b2, a1b0, gain = jnp.broadcast_arrays(*values)
    actuator = [m, c + a3 * m, k + a3 * c + a2, a3 * k]  # (s + a3)(m s^2 + c s + k) + a2 s
    valve = [jnp.ones_like(b1), b1, b2]
    product = [jnp.zeros_like(m) for _ in range(6)]
    for i, p in enumerate(valve):
        for j, q in enumerate(actuator):
            product[i + j] = product[i + j] + p * q
    product[-1] = product[-1] + a1b0
    return jnp.stack([gain * a1b0]), jnp.stack(product)
