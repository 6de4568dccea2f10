r"""Prediction with fixed coefficients: a one-step predictor, repeated until the delay is covered.

.. math:: \hat z_{k+1} = \sum_{i=0}^{n-1} c_i\, z_{k-i}

Each prediction is added to the samples, and the next step is predicted from them. A fraction of a step is
interpolated linearly between two predictions [1]_. With the default weights 3, -3, 1 (the parabola through three
samples) two steps give 6, -8, 3. To repeat a polynomial that passes through its samples is the same as to extrapolate
it further. A repeated least-squares fit is different from its extrapolation and amplifies noise differently.

Many older test systems use this predictor. `ForwardPrediction` computes any horizon in one step.

References
----------
.. [1] Wallace, PhD thesis, University of Bristol, 2006, section 4.3.2.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator, push
from dovetail.compensation.polynomial import filter_response, predictor_weights
from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete


@kind("fixed-coefficients")
class FixedCoefficients(Compensator):
    """Prediction by repeating a one-step predictor with fixed coefficients.

    The demand passes unchanged until there is one sample for each coefficient.

    Examples
    --------
    >>> parabola = FixedCoefficients(delay=9.4e-3)
    >>> smooth = FixedCoefficients.from_order(2, window=6, delay=9.4e-3)
    """

    filters: ClassVar[bool] = True

    delay: Parameter = parameter("s", "horizon of the prediction", at_least=0.0)
    coefficients: tuple[float, ...] = eqx.field(  # of the newest samples, newest first
        static=True, converter=lambda values: tuple(map(float, values)), default=(3.0, -3.0, 1.0)
    )
    gain: Parameter = parameter("1", "amplitude correction", default=1.0, above=0.0)
    max_steps: int = count("largest number of repeated steps", default=20, at_least=1)

    @classmethod
    def from_order(cls, order: int, window: int, **parameters: Any) -> Self:
        """Create the one-step least-squares predictor of a polynomial order over a window of samples."""
        return cls(coefficients=tuple(predictor_weights(order, window, 1.0).tolist()), **parameters)

    def __check_init__(self) -> None:
        if abs(sum(self.coefficients) - 1.0) > 1e-9:
            raise ParameterError(
                f"FixedCoefficients.coefficients: got {list(self.coefficients)}; expected "
                "coefficients with sum 1, so that a constant demand is predicted unchanged"
            )

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        if all_concrete(self.delay) and np.max(self.delay) > self.max_steps * dt:
            raise ParameterError(
                f"FixedCoefficients.delay: got {float(np.max(self.delay)):g} s, more than {self.max_steps} "
                f"steps of {dt:g} s; raise max_steps to {int(np.ceil(np.max(self.delay) / dt))}"
            )
        return super().with_sample_time(dt, shape)

    def init(self) -> State:
        return {"history": self.history(len(self.coefficients)), "sample_count": jnp.asarray(0)}

    def state_after_startup(self, x: State) -> State:
        return {**x, "sample_count": jnp.asarray(len(self.coefficients))}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        z = u["displacement"]
        history, sample_count = push(x["history"], z), x["sample_count"] + 1
        weights = self._weights(self.broadcast(self.delay / dt))
        predicted = self.gain * jnp.sum(weights * history, axis=0)
        command = jnp.where(sample_count >= len(self.coefficients), predicted, z)
        return {"history": history, "sample_count": sample_count}, {"command": command}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        return self.gain * filter_response(self._weights(self.delay / dt), omega, dt)

    def _weights(self, samples: jax.Array) -> jax.Array:
        """Return the weights of the stored samples for a horizon of `samples`, interpolated between whole steps."""
        table = jnp.asarray(_repeated_prediction(self.coefficients, self.max_steps + 1))
        full_samples = jnp.clip(jnp.floor(samples), 0, self.max_steps).astype(int)
        part = (samples - full_samples)[..., None]
        return jnp.moveaxis((1.0 - part) * table[full_samples] + part * table[full_samples + 1], -1, 0)


@cache
def _repeated_prediction(coefficients: tuple[float, ...], steps: int) -> np.ndarray:
    """Return each predicted sample as weights of the stored samples, from zero to `steps` steps ahead."""
    step = np.eye(len(coefficients), k=-1)
    step[0] = coefficients
    state, rows = np.eye(len(coefficients)), []
    for _ in range(steps + 1):
        rows.append(state[0])
        state = step @ state
    return np.stack(rows)
