r"""Minimal control synthesis (MCS): model-reference adaptive control without an actuator model.

The command is a weighted sum of measured displacement and demand. The gains start from the plain loop and adapt until
the response follows a reference model [1]_, here of first order:

.. math:: u = K x + K_r z, \qquad \dot x_m = \omega_m (z - x_m), \qquad y = x_m - x

.. math:: K = \alpha\int y\,x\,dt + \beta\,y\,x, \qquad K_r = 1 + \alpha\int y\,z\,dt + \beta\,y\,z

[2]_ applies the method to substructuring. For a first-order actuator :math:`b/(s+a)` the gains converge to
:math:`(a-\omega_m)/b` and :math:`\omega_m/b`: the lag becomes that of the reference model. The method does not
compensate a pure delay, and a large delay makes the adaptation unstable. A leak returns the gains to the plain loop
while the motion contains no information. Use it for comparison with other compensators only.

References
----------
.. [1] Stoten and Benchoubane, Int. J. Control 51(4), 851-861, 1990.
.. [2] Wagg and Stoten, Earthquake Eng. Struct. Dyn. 30(6), 865-877, 2001.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.compensation.base import Compensator
from dovetail.compensation.none import NoCompensation
from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("minimal-control-synthesis")
class MinimalControlSynthesis(Compensator):
    """Adaptive gains on demand and measurement; the response follows a reference model.

    The gains apply to displacements in `length_unit`, because their effect is proportional to its square. `alpha` is
    usually ten times `beta`.
    """

    reference_omega: Parameter = parameter(
        "rad/s", "bandwidth of the reference model", default=300.0, above=0.0
    )
    alpha: Parameter = parameter(
        "1/s", "integral adaptation gain, per length unit squared", default=10.0, at_least=0.0
    )
    beta: Parameter = parameter(
        "1", "proportional adaptation gain, per length unit squared", default=1.0, at_least=0.0
    )
    leak: Parameter = parameter(
        "1/s", "rate at which the gains decay to their initial values", default=0.0, at_least=0.0
    )
    length_unit: Parameter = parameter("m", "length unit of the adaptation gains", default=0.01, above=0.0)

    def init(self) -> State:
        zero = self.broadcast(0.0)
        return {"demand": zero, "reference": zero, "feedback": zero, "forward": zero}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z, measured = u["displacement"], u["measured_displacement"]

        # the measurement is one sample old, so it is compared with the reference of that sample
        error = (x["reference"] - measured) / self.length_unit
        feedback_product = error * measured / self.length_unit
        forward_product = error * x["demand"] / self.length_unit
        decay = jnp.exp(-self.leak * dt)
        feedback = decay * x["feedback"] + dt * self.alpha * feedback_product
        forward = decay * x["forward"] + dt * self.alpha * forward_product

        gain = feedback + self.beta * feedback_product
        forward_gain = 1.0 + forward + self.beta * forward_product
        command = gain * measured + forward_gain * z
        state = {
            "demand": z,
            "reference": self._reference(dt, x["reference"], x["demand"], z),
            "feedback": feedback,
            "forward": forward,
        }
        return state, {"command": command, "feedback_gain": gain, "forward_gain": forward_gain}

    def without_adaptation(self) -> NoCompensation:
        return NoCompensation(shape=self.shape)

    def _reference(self, dt: Time, reference: jax.Array, before: jax.Array, now: jax.Array) -> jax.Array:
        """Return the output of the reference model, exact for a demand that is linear between samples."""
        lag = (now - before) / (dt * self.reference_omega)
        followed: jax.Array = now - lag + jnp.exp(-self.reference_omega * dt) * (reference - before + lag)
        return followed
