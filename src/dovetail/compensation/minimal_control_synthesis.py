r"""Minimal control synthesis (MCS): a model-reference adaptive outer loop without a model of the actuator.

The command is a sum of the measured displacement and the demand with gains that start from the plain loop
and adapt until the response follows a reference model [1]_, here of first order:

.. math:: u = K x + K_r z, \qquad \dot x_m = \omega_m (z - x_m), \qquad y = x_m - x

.. math:: K = \alpha\int y\,x\,dt + \beta\,y\,x, \qquad K_r = 1 + \alpha\int y\,z\,dt + \beta\,y\,z

Used for substructuring by [2]_. For a first-order actuator :math:`b/(s+a)` the gains end at
:math:`(a-\omega_m)/b` and :math:`\omega_m/b`: the lag becomes that of the reference model. A pure delay
cannot be taken away like this, and with much of it the adaptation is unstable; a leak pulls the gains back
to the plain loop where the motion teaches them nothing. A comparator rather than a recommendation.

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
from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("minimal-control-synthesis")
class MinimalControlSynthesis(Compensator):
    """Adaptive gains on demand and measurement that make the response follow a reference model.

    The gains count displacement in `length_unit`, because their effect goes with the square of it. A ratio
    of ten between `alpha` and `beta` is usual.
    """

    reference_omega: jax.Array = parameter(
        "rad/s", "bandwidth of the reference model", default=300.0, above=0.0
    )
    alpha: jax.Array = parameter(
        "1/s", "integral adaptation gain, per length unit squared", default=10.0, at_least=0.0
    )
    beta: jax.Array = parameter(
        "1", "proportional adaptation gain, per length unit squared", default=1.0, at_least=0.0
    )
    leak: jax.Array = parameter("1/s", "rate at which gains forget", default=0.0, at_least=0.0)
    length_unit: jax.Array = parameter(
        "m", "length in which the gains count displacement", default=0.01, above=0.0
    )

    def init(self) -> State:
        zero = self.full(0.0)
        return {"demand": zero, "reference": zero, "feedback": zero, "forward": zero}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z, measured = u["displacement"], u["measured_displacement"]

        # the measurement is a sample old, so it is compared with the reference of then
        error = (x["reference"] - measured) / self.length_unit
        by_feedback = error * measured / self.length_unit
        by_forward = error * x["demand"] / self.length_unit
        keep = jnp.exp(-self.leak * dt)
        feedback = keep * x["feedback"] + dt * self.alpha * by_feedback
        forward = keep * x["forward"] + dt * self.alpha * by_forward

        gain = feedback + self.beta * by_feedback
        forward_gain = 1.0 + forward + self.beta * by_forward
        command = gain * measured + forward_gain * z
        state = {
            "demand": z,
            "reference": self._reference(dt, x["reference"], x["demand"], z),
            "feedback": feedback,
            "forward": forward,
        }
        return state, {"command": command, "feedback_gain": gain, "forward_gain": forward_gain}

    def frozen(self) -> NoCompensation:
        return NoCompensation(shape=self.shape)

    def _reference(self, dt: Time, reference: jax.Array, before: jax.Array, now: jax.Array) -> jax.Array:
        """The first-order lag, exact for a demand that moves straight from sample to sample."""
        behind = (now - before) / (dt * self.reference_omega)
        return now - behind + jnp.exp(-self.reference_omega * dt) * (reference - before + behind)
