r"""Adaptive forward prediction: learn the horizon and the gain of the prediction while the test runs.

The command is the polynomial extrapolation of `ForwardPrediction` with a horizon and a gain that are
corrected at four kinds of instants, found in the motion of the numerical substructure [1]_:

=====================  ======================================  ==============================
instant                what the error shows                    correction
=====================  ======================================  ==============================
z rises through zero   lateness (amplitude is invisible)       horizon :math:`+\alpha\,d`
z falls through zero   lateness                                horizon :math:`-\alpha\,d`
z at a maximum         amplitude (lateness is invisible)       gain :math:`+\beta\,d`
z at a minimum         amplitude                               gain :math:`-\beta\,d`
=====================  ======================================  ==============================

.. math:: d = \operatorname{sign}(e)\,|e/\ell|^{\gamma}, \qquad e = z + t_l\,\dot z - x

The power keeps the sign: with a plain square the two corrections of a period would cancel. The error is
counted in the length unit :math:`\ell`, because the effect of a gain depends on it; with the default of one
centimetre and one millisecond the published gains can be used as they stand.

A lead :math:`t_l > 0` shifts the point called synchronous: the response is brought :math:`t_l` ahead of the
demand. For a spring-like specimen that is added damping, a margin to start with (over-compensation). For a
specimen with mass an early force can be *negative* damping, so check the forward limit first. Such a test
starts with a low order and a horizon well above the delay, and raises the order (`final_order`) once the
horizon has settled [2]_.

With :math:`\gamma = 2` the error dies algebraically, not exponentially: quick from afar, slow near the goal.
Needs persistent motion through zero; noise on a slow crossing counts as error. With `alpha = beta = 0` it is
`ForwardPrediction`.

References
----------
.. [1] Wallace, Wagg and Neild, Proc. R. Soc. A 461, 3807-3826, 2005.
.. [2] Wallace, PhD thesis, University of Bristol, 2006, sections 4.3.6 and 5.5.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator, push
from dovetail.compensation.forward_prediction import ForwardPrediction
from dovetail.compensation.polynomial import filter_response, fit_matrix, predictor_weights
from dovetail.core import choice, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError


@kind("adaptive-forward-prediction")
class AdaptiveForwardPrediction(Compensator):
    """Polynomial extrapolation whose horizon and gain are learnt from the tracking error.

    Each actuator of a vector interface learns its own.

    Examples
    --------
    Know nothing and learn quickly, then the careful start of a lightly damped test:

    >>> learn = AdaptiveForwardPrediction(alpha=100.0, beta=5.0)
    >>> careful = AdaptiveForwardPrediction(delay=0.015, order=2, window=10, lead=1e-3, final_order=4)
    """

    delay: jax.Array = parameter("s", "horizon to start with", default=0.0, at_least=0.0)
    gain: jax.Array = parameter("1", "amplitude correction to start with", default=1.0, above=0.0)
    order: int = count("order N of the polynomial", default=4)
    window: int = count("samples n that it is fitted to", default=10, at_least=1)
    alpha: jax.Array = parameter(
        "1", "horizon gain, in time units per length unit to the power gamma", default=100.0, at_least=0.0
    )
    beta: jax.Array = parameter(
        "1", "amplitude gain, per length unit to the power gamma", default=5.0, at_least=0.0
    )
    gamma: jax.Array = parameter("1", "exponent of the error", default=2.0, at_least=1.0)
    lead: jax.Array = parameter("s", "how far ahead of the demand counts as synchronous", default=0.0)
    longest: jax.Array = parameter("s", "longest horizon allowed", default=0.05, above=0.0)
    gain_range: jax.Array = parameter(
        "1", "furthest the gain may move from its start", default=0.5, at_least=0.0
    )
    length_unit: jax.Array = parameter(
        "m", "length in which the gains count the error", default=0.01, above=0.0
    )
    time_unit: jax.Array = parameter(
        "s", "time in which the horizon gain counts: one sample at 1 kHz", default=1e-3, above=0.0
    )
    final_order: int = count("order to change to when the horizon has settled; 0 to keep it", default=0)
    final_window: int = count("samples for the final order; 0 for the same as before", default=0)
    settled: jax.Array = parameter(
        "s", "lateness at a zero crossing below which the horizon has settled", default=1e-3, above=0.0
    )
    fade: jax.Array = parameter("s", "time the change of order takes", default=0.1, above=0.0)
    startup: str = choice(
        "bypass",
        "zero-pad",
        about="until the window has filled: pass the demand through, or take the samples before as zero",
        default="bypass",
    )

    def __check_init__(self):
        fit_matrix(self.order, self.window)
        if self.final_order:
            fit_matrix(self.final_order, self._final_window)
        elif self.final_window:
            raise ParameterError(
                f"AdaptiveForwardPrediction.final_window: got {self.final_window} without a final_order"
            )

    @property
    def _final_window(self) -> int:
        return self.final_window or self.window

    @property
    def _longest_window(self) -> int:
        return max(self.window, self._final_window)

    def init(self) -> State:
        zero = self.full(0.0)
        return {
            "history": self.history(max(self._longest_window, 3)),
            "velocities": self.history(3),
            "seen": jnp.asarray(0 if self.startup == "bypass" else self._longest_window),
            "horizon": self.full(self.delay),
            "gain": self.full(self.gain),
            "share": zero,  # of the final order, 0 to 1
            "fading": zero,  # 1 once the horizon has settled
        }

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z = u["displacement"]
        history, velocities = push(x["history"], z), push(x["velocities"], u["velocity"])
        seen = x["seen"] + 1
        ready = seen >= self._longest_window
        horizon, gain, fading = self._learn(x, history, velocities, u["measured_displacement"], ready)
        share = jnp.clip(x["share"] + fading * dt / self.fade, 0.0, 1.0)

        predicted = gain * self._predict(history, horizon / dt, share)
        output = {
            "command": jnp.where(ready, predicted, z),
            "prediction_horizon": horizon,
            "amplitude_gain": gain,
        }
        if self.final_order:
            output["final_order_share"] = share
        state = dict(
            history=history,
            velocities=velocities,
            seen=seen,
            horizon=horizon,
            gain=gain,
            share=share,
            fading=fading,
        )
        return state, output

    def running(self, x: State) -> State:
        return {**x, "seen": jnp.asarray(self._longest_window)}

    def frozen(self) -> ForwardPrediction:
        return ForwardPrediction(
            self.delay, self.gain, self.order, self.window, self.startup, shape=self.shape
        )

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        weights = predictor_weights(self.order, self.window, self.delay / dt)
        return self.gain * filter_response(weights, omega, dt)

    def _predict(self, history: jax.Array, samples: jax.Array, share: jax.Array) -> jax.Array:
        def extrapolate(order, window):
            return jnp.sum(predictor_weights(order, window, samples) * history[:window], axis=0)

        first = extrapolate(self.order, self.window)
        if not self.final_order:
            return first
        return (1.0 - share) * first + share * extrapolate(self.final_order, self._final_window)

    def _learn(self, x: State, z: jax.Array, v: jax.Array, measured: jax.Array, ready: jax.Array):
        """Corrected horizon and gain, from the measurement and the demand of one sample ago."""
        error = z[1] + self.lead * v[1] - measured
        size = error / self.length_unit
        d = jnp.sign(size) * jnp.abs(size) ** self.gamma

        crossing = _crossing(z[2], z[1])  # +1 rising, -1 falling through zero
        turning = -_crossing(v[2], v[1])  # +1 at a maximum, -1 at a minimum
        horizon = x["horizon"] + jnp.where(ready, crossing * self.alpha * self.time_unit * d, 0.0)
        gain = x["gain"] + jnp.where(ready, turning * self.beta * d, 0.0)

        # |e| = |v| |lateness| at a crossing
        near = (crossing != 0.0) & (jnp.abs(error) < self.settled * jnp.abs(v[1]))
        return (
            jnp.clip(horizon, 0.0, self.longest),
            jnp.clip(gain, self.gain - self.gain_range, self.gain + self.gain_range),
            jnp.maximum(x["fading"], jnp.where(ready & near, 1.0, 0.0)),
        )


def _crossing(before: jax.Array, now: jax.Array) -> jax.Array:
    """+1 at the one sample that ends a rise through zero, -1 for a fall, else 0."""
    rising = (before < 0.0) & (now >= 0.0)
    falling = (before > 0.0) & (now <= 0.0)
    return rising.astype(float) - falling.astype(float)
