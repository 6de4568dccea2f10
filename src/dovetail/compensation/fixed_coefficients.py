r"""Fixed-coefficient prediction: one step ahead by fixed weights, repeated as often as the delay asks.

.. math:: \hat z_{k+1} = \sum_{i=0}^{n-1} c_i\, z_{k-i}

The newest prediction joins the samples, and the next step is predicted from them. A fraction of a step lies
on the straight line between two predictions [1]_. With the default weights 3, -3, 1 (the parabola through
three samples) two steps give 6, -8, 3. Repeating a fit that passes through its samples is the same as
extrapolating it further; repeating a least-squares fit is not, and amplifies noise differently.

Simple and cheap, and the predictor of many older test systems; `ForwardPrediction` does the same with any
horizon in one go.

References
----------
.. [1] Wallace, PhD thesis, University of Bristol, 2006, section 4.3.2.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator, push
from dovetail.compensation.polynomial import filter_response, predictor_weights
from dovetail.core import count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known


@kind("fixed-coefficients")
class FixedCoefficients(Compensator):
    """Prediction by repeating a one-step predictor with fixed coefficients.

    Until as many samples have been seen as there are coefficients the demand passes through.

    Examples
    --------
    >>> parabola = FixedCoefficients(delay=9.4e-3)
    >>> smooth = FixedCoefficients.of_order(2, window=6, delay=9.4e-3)
    """

    filters: ClassVar[bool] = True

    delay: jax.Array = parameter("s", "how far to look ahead", at_least=0.0)
    coefficients: tuple[float, ...] = eqx.field(  # of the newest samples, newest first
        static=True, converter=lambda given: tuple(map(float, given)), default=(3.0, -3.0, 1.0)
    )
    gain: jax.Array = parameter("1", "amplitude correction", default=1.0, above=0.0)
    steps: int = count("most steps it may repeat", default=20, at_least=1)

    @classmethod
    def of_order(cls, order: int, window: int, **parameters) -> Self:
        """The one-step least-squares predictor of a polynomial order over a window of samples."""
        return cls(coefficients=tuple(predictor_weights(order, window, 1.0).tolist()), **parameters)

    def __check_init__(self):
        if abs(sum(self.coefficients) - 1.0) > 1e-9:
            raise ParameterError(
                f"FixedCoefficients.coefficients: got {list(self.coefficients)}; they must add up to 1, "
                "so that a demand at rest is predicted at rest"
            )

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        if known(self.delay) and np.max(self.delay) > self.steps * dt:
            raise ParameterError(
                f"FixedCoefficients.delay: {float(np.max(self.delay)):g} s is more than {self.steps} steps "
                f"of {dt:g} s; raise steps to {int(np.ceil(np.max(self.delay) / dt))}"
            )
        return super().sampled_at(dt, shape)

    def init(self) -> State:
        return {"history": self.history(len(self.coefficients)), "seen": jnp.asarray(0)}

    def running(self, x: State) -> State:
        return {**x, "seen": jnp.asarray(len(self.coefficients))}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z = u["displacement"]
        history, seen = push(x["history"], z), x["seen"] + 1
        weights = self._weights(self.full(self.delay / dt))
        predicted = self.gain * jnp.sum(weights * history, axis=0)
        command = jnp.where(seen >= len(self.coefficients), predicted, z)
        return {"history": history, "seen": seen}, {"command": command}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        return self.gain * filter_response(self._weights(self.delay / dt), omega, dt)

    def _weights(self, samples: jax.Array) -> jax.Array:
        """Of the stored samples after `samples` repetitions, whole ones joined by straight lines."""
        table = jnp.asarray(_repeated(self.coefficients, self.steps + 1))
        full_samples = jnp.clip(jnp.floor(samples), 0, self.steps).astype(int)
        part = (samples - full_samples)[..., None]
        return jnp.moveaxis((1.0 - part) * table[full_samples] + part * table[full_samples + 1], -1, 0)


@cache
def _repeated(coefficients: tuple[float, ...], steps: int) -> np.ndarray:
    """Each predicted sample as weights of the stored ones, from zero steps ahead to `steps`."""
    step = np.eye(len(coefficients), k=-1)
    step[0] = coefficients
    state, ahead = np.eye(len(coefficients)), []
    for _ in range(steps + 1):
        ahead.append(state[0])
        state = step @ state
    return np.stack(ahead)
