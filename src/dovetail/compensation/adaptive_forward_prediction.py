r"""Adaptive forward prediction: horizon and gain of the prediction are adapted during the test.

The command is the polynomial extrapolation of `ForwardPrediction`. Its horizon and gain are corrected at four events in
the motion of the numerical substructure [1]_:

=====================  =====================================  ==============================
event                  cause of the error                     correction
=====================  =====================================  ==============================
z rises through zero   delay (no effect of the amplitude)     horizon :math:`+\alpha\,d`
z falls through zero   delay                                  horizon :math:`-\alpha\,d`
z at a maximum         amplitude (no effect of the delay)     gain :math:`+\beta\,d`
z at a minimum         amplitude                              gain :math:`-\beta\,d`
=====================  =====================================  ==============================

.. math:: d = \operatorname{sign}(e)\,|e/\ell|^{\gamma}, \qquad e = z + t_l\,\dot z - x

The power keeps the sign; with a plain square the two corrections of a period would cancel. The error is divided by the
length unit :math:`\ell`, because the effect of a gain depends on it. With the default units of one centimetre and one
millisecond the published gains apply unchanged.

With a target lead :math:`t_l > 0` the adaptation converges to a response that is :math:`t_l` ahead of the demand
(over-compensation). For a spring-like specimen this adds damping. For a specimen with mass a lead can act as *negative*
damping, so check the stability limit for leads first. Such a test starts with a low order and a horizon well above the
delay. The order changes to `final_order` when the horizon has settled [2]_.

With :math:`\gamma = 2` the error decreases algebraically, not exponentially: fast for large errors, slowly for small
ones. The method needs persistent motion through zero. Noise at a slow crossing acts as an error. With
`alpha = beta = 0` the compensator is a `ForwardPrediction`.

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
from dovetail.core import Parameter, choice, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError


@kind("adaptive-forward-prediction")
class AdaptiveForwardPrediction(Compensator):
    """Polynomial extrapolation whose horizon and gain are adapted from the tracking error.

    Each actuator has its own horizon and gain.

    Examples
    --------
    Fast adaptation from zero delay, and the start of a lightly damped test with over-compensation:

    >>> fast = AdaptiveForwardPrediction(alpha=100.0, beta=5.0)
    >>> lightly_damped = AdaptiveForwardPrediction(delay=0.015, order=2, window=10, target_lead=1e-3, final_order=4)
    """

    delay: Parameter = parameter("s", "initial horizon", default=0.0, at_least=0.0)
    gain: Parameter = parameter("1", "initial amplitude correction", default=1.0, above=0.0)
    order: int = count("order N of the polynomial", default=4)
    window: int = count("number n of fitted samples", default=10, at_least=1)
    alpha: Parameter = parameter(
        "1", "horizon gain, in time units per length unit to the power gamma", default=100.0, at_least=0.0
    )
    beta: Parameter = parameter(
        "1", "amplitude gain, per length unit to the power gamma", default=5.0, at_least=0.0
    )
    gamma: Parameter = parameter("1", "exponent of the error", default=2.0, at_least=1.0)
    target_lead: Parameter = parameter(
        "s", "lead of the response over the demand to which the horizon adapts", default=0.0
    )
    max_horizon: Parameter = parameter("s", "largest horizon", default=0.05, above=0.0)
    gain_range: Parameter = parameter(
        "1", "largest change of the gain from its initial value", default=0.5, at_least=0.0
    )
    length_unit: Parameter = parameter("m", "length unit of the adaptation gains", default=0.01, above=0.0)
    time_unit: Parameter = parameter(
        "s", "time unit of the horizon gain: one sample at 1 kHz", default=1e-3, above=0.0
    )
    final_order: int = count("order of the polynomial when the horizon has settled; 0: no change", default=0)
    final_window: int = count("number of samples for the final order; 0: as before", default=0)
    settling_tolerance: Parameter = parameter(
        "s", "delay at a zero crossing below which the horizon has settled", default=1e-3, above=0.0
    )
    order_change_time: Parameter = parameter("s", "duration of the change of order", default=0.1, above=0.0)
    startup: str = choice(
        "bypass",
        "zero-pad",
        about="until the window is full: pass the demand unchanged, or assume zero before the first sample",
        default="bypass",
    )

    def __check_init__(self) -> None:
        fit_matrix(self.order, self.window)
        if self.final_order:
            fit_matrix(self.final_order, self._final_window)
        elif self.final_window:
            raise ParameterError(
                f"AdaptiveForwardPrediction.final_window: got {self.final_window} without final_order; give both"
            )

    @property
    def _final_window(self) -> int:
        return self.final_window or self.window

    @property
    def _max_window(self) -> int:
        return max(self.window, self._final_window)

    def init(self) -> State:
        zero = self.broadcast(0.0)
        return {
            "history": self.history(max(self._max_window, 3)),
            "velocities": self.history(3),
            "sample_count": jnp.asarray(0 if self.startup == "bypass" else self._max_window),
            "horizon": self.broadcast(self.delay),
            "gain": self.broadcast(self.gain),
            "final_fraction": zero,  # fraction of the final order, 0 to 1
            "settled": zero,  # 1 when the horizon has settled
        }

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z = u["displacement"]
        history, velocities = push(x["history"], z), push(x["velocities"], u["velocity"])
        sample_count = x["sample_count"] + 1
        window_full = sample_count >= self._max_window
        horizon, gain, settled = self._adapt(x, history, velocities, u["measured_displacement"], window_full)
        fraction = jnp.clip(x["final_fraction"] + settled * dt / self.order_change_time, 0.0, 1.0)

        predicted = gain * self._predict(history, horizon / dt, fraction)
        output = {
            "command": jnp.where(window_full, predicted, z),
            "prediction_horizon": horizon,
            "amplitude_gain": gain,
        }
        if self.final_order:
            output["final_order_fraction"] = fraction
        state = dict(
            history=history,
            velocities=velocities,
            sample_count=sample_count,
            horizon=horizon,
            gain=gain,
            final_fraction=fraction,
            settled=settled,
        )
        return state, output

    def state_after_startup(self, x: State) -> State:
        return {**x, "sample_count": jnp.asarray(self._max_window)}

    def without_adaptation(self) -> ForwardPrediction:
        return ForwardPrediction(
            self.delay, self.gain, self.order, self.window, self.startup, shape=self.shape
        )

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        weights = predictor_weights(self.order, self.window, self.delay / dt)
        return self.gain * filter_response(weights, omega, dt)

    def _predict(self, history: jax.Array, samples: jax.Array, final_fraction: jax.Array) -> jax.Array:
        def extrapolate(order: int, window: int) -> jax.Array:
            return jnp.sum(predictor_weights(order, window, samples) * history[:window], axis=0)

        first = extrapolate(self.order, self.window)
        if not self.final_order:
            return first
        return (1.0 - final_fraction) * first + final_fraction * extrapolate(
            self.final_order, self._final_window
        )

    def _adapt(
        self, x: State, z: jax.Array, v: jax.Array, measured: jax.Array, window_full: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return corrected horizon and gain, from the measurement and the demand of the previous sample."""
        error = z[1] + self.target_lead * v[1] - measured
        size = error / self.length_unit
        d = jnp.sign(size) * jnp.abs(size) ** self.gamma

        crossing = _crossing(z[2], z[1])  # +1 rising, -1 falling through zero
        turning = -_crossing(v[2], v[1])  # +1 at a maximum, -1 at a minimum
        horizon = x["horizon"] + jnp.where(window_full, crossing * self.alpha * self.time_unit * d, 0.0)
        gain = x["gain"] + jnp.where(window_full, turning * self.beta * d, 0.0)

        # |e| = |v| |delay| at a crossing
        within_tolerance = (crossing != 0.0) & (jnp.abs(error) < self.settling_tolerance * jnp.abs(v[1]))
        return (
            jnp.clip(horizon, 0.0, self.max_horizon),
            jnp.clip(gain, self.gain - self.gain_range, self.gain + self.gain_range),
            jnp.maximum(x["settled"], jnp.where(window_full & within_tolerance, 1.0, 0.0)),
        )


def _crossing(before: jax.Array, now: jax.Array) -> jax.Array:
    """Return +1 at the sample after a rise through zero, -1 after a fall, otherwise 0."""
    rising = (before < 0.0) & (now >= 0.0)
    falling = (before > 0.0) & (now <= 0.0)
    return rising.astype(float) - falling.astype(float)
