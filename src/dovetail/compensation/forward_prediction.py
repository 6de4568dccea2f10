r"""Forward prediction with a constant horizon: the command is the demand predicted one delay ahead.

The transfer system is taken as a pure delay, :math:`x(t) = a\,z_p(t-\tau)`. The command is the
least-squares polynomial through the last n samples, extrapolated by :math:`\tau`, times a gain
:math:`k_a = 1/a` [1]_ [2]_:

.. math:: z_p = k_a \sum_{i=0}^{n-1} w_i(\tau/\Delta t)\, z_i

The predictor is feed-forward: it uses no measurement and is stable by itself, but in the loop its weights amplify
noise and high frequencies (see `dovetail.compensation.design`). It is exact for motion that is a polynomial of the
predictor's order and inaccurate for motion with kinks, for example of a specimen with valves.

References
----------
.. [1] Horiuchi, Inoue, Konno and Namita, Earthquake Eng. Struct. Dyn. 28(10), 1121-1141, 1999.
.. [2] Wallace, PhD thesis, University of Bristol, 2006, sections 4.3.2 and 4.3.5.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator, push
from dovetail.compensation.polynomial import filter_response, fit_matrix, predictor_weights
from dovetail.core import Parameter, choice, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("forward-prediction")
class ForwardPrediction(Compensator):
    """Polynomial extrapolation of the demand by a constant delay.

    Order 4 over 10 samples suits most tests; order 2 over 10 samples is more robust.

    Examples
    --------
    >>> compensator = ForwardPrediction(delay=9.4e-3, order=4, window=10, gain=0.99)
    """

    filters: ClassVar[bool] = True

    delay: Parameter = parameter(
        "s", "horizon of the prediction: the delay of the transfer system", at_least=0.0
    )
    gain: Parameter = parameter("1", "amplitude correction k_a", default=1.0, above=0.0)
    order: int = count("order N of the polynomial", default=4)
    window: int = count("number n of fitted samples", default=10, at_least=1)
    startup: str = choice(
        "bypass",
        "zero-pad",
        about="until the window is full: pass the demand unchanged, or assume zero before the first sample",
        default="bypass",
    )

    def __check_init__(self) -> None:
        fit_matrix(self.order, self.window)  # raises an error if the fit is not possible

    def init(self) -> State:
        sample_count = 0 if self.startup == "bypass" else self.window
        return {"history": self.history(self.window), "sample_count": jnp.asarray(sample_count)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z = u["displacement"]
        history, sample_count = push(x["history"], z), x["sample_count"] + 1
        weights = predictor_weights(self.order, self.window, self.broadcast(self.delay / dt))
        predicted = self.gain * jnp.sum(weights * history, axis=0)
        command = jnp.where(sample_count >= self.window, predicted, z)
        return {"history": history, "sample_count": sample_count}, {"command": command}

    def state_after_startup(self, x: State) -> State:
        return {**x, "sample_count": jnp.asarray(self.window)}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        weights = predictor_weights(self.order, self.window, self.delay / dt)
        return self.gain * filter_response(weights, omega, dt)
