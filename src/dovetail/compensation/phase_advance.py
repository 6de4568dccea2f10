r"""Phase advance: a little lead around the frequency at which the loop would go unstable.

.. math:: C(s) = \frac{\alpha s + \omega_c}{s/\alpha + \omega_c}

At the crossover :math:`\omega_c` of the loop the phase leads by :math:`\arctan\alpha - \arctan(1/\alpha)`
(22.6 degrees at 1.5, 36.9 at 2) and the gain is :math:`\alpha` [1]_. The lead buys stability against delay
that is not modelled; the gain distorts the response, more so near the crossover, and raises the loop's
gain above it. Only :math:`\omega_c` need be known. Keep :math:`1 < \alpha < 2`.

Stepped by the bilinear rule, pre-warped so that gain and phase at the crossover are exact.

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
from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("phase-advance")
class PhaseAdvance(Compensator):
    """Adds phase lead to the command of another compensator.

    Examples
    --------
    >>> from dovetail.compensation import ForwardPrediction
    >>> robust = PhaseAdvance(alpha=1.5, crossover_omega=44.7, of=ForwardPrediction(9.4e-3))
    """

    alpha: jax.Array = parameter("1", "amount of lead; 1 is none", at_least=1.0)
    crossover_omega: jax.Array = parameter("rad/s", "at which the loop gain is one", above=0.0)
    of: Compensator = NoCompensation()

    @property
    def filters(self) -> bool:  # type: ignore[override]  # of a class elsewhere, here of what it holds
        """Whether it may follow in a chain: as far as what it wraps may."""
        return self.of.filters

    def init(self) -> State:
        return {"of": self.of.init(), "input": self.full(0.0), "command": self.full(0.0)}

    def running(self, x: State) -> State:
        return {**x, "of": self.of.running(x["of"])}

    def frozen(self) -> Compensator:
        return PhaseAdvance(self.alpha, self.crossover_omega, self.of.frozen(), shape=self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        of, shown = self.of.step(t, dt, x["of"], u)
        command_now = shown["command"]
        (b0, b1), (a0, a1) = self._coefficients(dt)
        command = (b0 * command_now + b1 * x["input"] - a1 * x["command"]) / a0
        return {"of": of, "input": command_now, "command": command}, {**shown, "command": command}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        (b0, b1), (a0, a1) = self._coefficients(dt)
        back = jnp.exp(-1j * jnp.asarray(omega) * dt)
        return (b0 + b1 * back) / (a0 + a1 * back) * self.of.response(omega, dt)

    def _coefficients(self, dt: Time):
        """Of the newest and the last sample, in numerator and denominator."""
        rate = self.crossover_omega / jnp.tan(self.crossover_omega * dt / 2)  # stands for s (1 + q)/(1 - q)
        up, down = self.alpha * rate, rate / self.alpha
        w = self.crossover_omega
        return (w + up, w - up), (w + down, w - down)
