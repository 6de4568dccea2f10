r"""Phase advance: phase lead around the crossover frequency of the loop.

.. math:: C(s) = \frac{\alpha s + \omega_c}{s/\alpha + \omega_c}

At the crossover :math:`\omega_c` of the loop the phase leads by :math:`\arctan\alpha - \arctan(1/\alpha)`
(22.6 degrees at 1.5, 36.9 at 2) and the gain is :math:`\alpha` [1]_. The lead increases the margin against unmodelled
delay. The gain distorts the response, mostly near the crossover, and increases the loop gain above it. The only model
parameter is :math:`\omega_c`. Use :math:`1 < \alpha < 2`.

The discretisation is bilinear, pre-warped so that gain and phase at the crossover are exact.

References
----------
.. [1] Wallace, PhD thesis, University of Bristol, 2006, section 5.3.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator
from dovetail.compensation.none import NoCompensation
from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("phase-advance")
class PhaseAdvance(Compensator):
    """Phase lead on the command of another compensator.

    Examples
    --------
    >>> from dovetail.compensation import ForwardPrediction
    >>> robust = PhaseAdvance(alpha=1.5, crossover_omega=44.7, compensator=ForwardPrediction(9.4e-3))
    """

    alpha: Parameter = parameter("1", "lead parameter; 1 for no lead", at_least=1.0)
    crossover_omega: Parameter = parameter("rad/s", "frequency at which the loop gain is 1", above=0.0)
    compensator: Compensator = NoCompensation()

    @property
    def filters(self) -> bool:  # type: ignore[override]  # a class attribute elsewhere, here that of the inner part
        """True if the inner compensator uses the displacement only."""
        return self.compensator.filters

    def init(self) -> State:
        return {
            "compensator": self.compensator.init(),
            "input": self.broadcast(0.0),
            "command": self.broadcast(0.0),
        }

    def state_after_startup(self, x: State) -> State:
        return {**x, "compensator": self.compensator.state_after_startup(x["compensator"])}

    def without_adaptation(self) -> Compensator:
        return PhaseAdvance(
            self.alpha, self.crossover_omega, self.compensator.without_adaptation(), shape=self.shape
        )

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        inner, signals = self.compensator.step(t, dt, x["compensator"], u)
        command_now = signals["command"]
        (b0, b1), (a0, a1) = self._coefficients(dt)
        command = (b0 * command_now + b1 * x["input"] - a1 * x["command"]) / a0
        return {"compensator": inner, "input": command_now, "command": command}, {
            **signals,
            "command": command,
        }

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        (b0, b1), (a0, a1) = self._coefficients(dt)
        delay = jnp.exp(-1j * jnp.asarray(omega) * dt)
        return (b0 + b1 * delay) / (a0 + a1 * delay) * self.compensator.response(omega, dt)

    def _coefficients(self, dt: Time) -> tuple[tuple[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]:
        """Return the coefficients of the newest and the previous sample in numerator and denominator."""
        rate = self.crossover_omega / jnp.tan(self.crossover_omega * dt / 2)  # replaces s (1 + q)/(1 - q)
        zero, pole = self.alpha * rate, rate / self.alpha
        w = self.crossover_omega
        return (w + zero, w - zero), (w + pole, w - pole)
