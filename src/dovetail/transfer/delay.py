r"""Pure delay, an integer or fractional number of samples: :math:`y(t) = u(t - \tau)`.

The signal between samples is reconstructed from its neighbours. For a delay of :math:`p = \tau/\Delta t = k + f`
samples (k an integer, 0 <= f < 1):

- `linear`: :math:`(1-f)\,u_{-k} + f\,u_{-k-1}`; error up to :math:`\Delta t^2 \ddot u/8`.
- `cubic`: the cubic through the two samples on either side, :math:`u_{-k+1} \dots u_{-k-2}` (4-point Lagrange);
  error up to :math:`0.023\,\Delta t^4 u^{(4)}`. For p < 1 the next newer sample is not available, and the cubic goes
  through the newest four: error up to :math:`0.042\,\Delta t^4 u^{(4)}`. Limit: for p < 1 content that changes from
  sample to sample, such as noise, is amplified by up to 20 %, and a step overshoots by up to 25 % for one sample.

The amplitude error is :math:`(\omega\Delta t)^4/24` for `cubic` and :math:`(\omega\Delta t)^2/8` for `linear`. The
linear interpolation attenuates the signal for fractional delays and not for integer ones. A loop with it therefore
tolerates less added delay than a loop with a pure delay.

An integer number of samples is exact, and zero delay passes the input unchanged. The derivative with respect to the
delay is that of the interpolant (at an integer number of samples, the derivative towards longer delays).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, choice, constant, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.transfer.base import Transfer
from dovetail.transfer.linear import LinearTransfer

_TOLERANCE = 1e-9  # [samples] tolerance for rounding to an integer: 0.009 / 0.001 is 9
_MAX_SHIFTED = 256  # [samples] above this length a ring buffer is faster than shifting


@kind("delay")
class Delay(Transfer):
    """Pure delay with a fractional part, y(t) = u(t - delay); see the module docstring for the reconstruction.

    State: the last samples, newest first. Their number is set from the larger of `delay` and `max_delay`. A longer
    delay, or a negative one, gives NaN. To vary the delay, over a batch or by a gradient, set `max_delay` to the
    largest value that may occur. Delays may differ per axis.

    A buffer of more than 256 samples is a ring buffer, and the position of the newest sample is part of the state. This
    is faster, but a step is then not the same map at every time, so poles cannot be computed from its Jacobian; the
    linear model of the part uses a shift register for this purpose.
    """

    delay: Parameter = parameter("s", "delay, an integer or fractional number of samples", at_least=0.0)
    max_delay: float = constant("s", "largest delay that the buffer can store", default=0.0)
    interpolation: str = choice("linear", "cubic", about="reconstruction between samples", default="cubic")
    taps: int = eqx.field(static=True, default=0, kw_only=True)
    ring: bool = eqx.field(static=True, default=True, kw_only=True)  # allow a ring buffer for long delays

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        max_delay = self.max_delay
        if not isinstance(self.delay, jax.core.Tracer):
            max_delay = max(max_delay, float(np.asarray(self.delay).max()))
        elif max_delay <= 0.0:
            raise ParameterError(
                "Delay.delay: the delay is traced, so the buffer length is undefined; set max_delay (s)"
            )
        samples = int(np.floor(max_delay / float(dt) + _TOLERANCE))
        return dataclasses.replace(super().with_sample_time(dt, shape), taps=max(samples + 3, 4))

    @property
    def is_shift_register(self) -> bool:
        """True if the buffer is a shift register, so that every step is the same linear map."""
        return self.taps <= _MAX_SHIFTED or not self.ring

    def linear_model(self) -> Delay:
        """Return this delay with a shift register of any length, so that poles can be computed from one step."""
        return dataclasses.replace(self, ring=False)

    def init(self) -> State:
        if self.taps == 0:
            raise ParameterError(
                "Delay: the buffer has no length yet; call with_sample_time(dt, shape) first"
            )
        buffer = jnp.zeros((self.taps, *self.shape))
        return buffer if self.is_shift_register else (buffer, jnp.zeros((), jnp.int32))

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        first, weights = _reconstruction(self.delay / dt, self.taps, self.interpolation == "cubic")
        u = jnp.asarray(u, float)
        if self.is_shift_register:
            buffer = x = jnp.concatenate([u[None], x[:-1]])
            indices = [first + j for j in range(len(weights))]
        else:
            buffer, newest = x
            newest = jnp.where(newest == 0, self.taps - 1, newest - 1)  # older samples follow
            buffer = jax.lax.dynamic_update_index_in_dim(buffer, u, newest, 0)
            x = buffer, newest
            indices = [newest + first + j for j in range(len(weights))]
            indices = [jnp.where(p >= self.taps, p - self.taps, p) for p in indices]
        return x, sum(w * _pick(buffer, p) for w, p in zip(weights, indices, strict=True))

    def linear(self) -> LinearTransfer:
        return LinearTransfer([1.0], [1.0], np.asarray(self.delay))


def _reconstruction(p: jax.Array, taps: int, cubic: bool) -> tuple[jax.Array, list[Any]]:
    """For a delay of `p` [samples]: index of the first sample used, and the weights from it on."""
    nearest = jnp.round(p)
    p = jnp.where(jnp.abs(p - nearest) < _TOLERANCE, p + jax.lax.stop_gradient(nearest - p), p)
    k = jnp.floor(jax.lax.stop_gradient(p))
    stored = (k >= 0) & (k <= taps - 3)
    k = jnp.where(stored, k, 0)
    first = jnp.maximum(k - 1, 0) if cubic else k
    f = jnp.where(stored, p - first, jnp.nan)
    nodes = range(4 if cubic else 2)
    weights = [math.prod([(f - j) / (i - j) for j in nodes if j != i]) for i in nodes]
    return first.astype(jnp.int32), weights


def _pick(buffer: jax.Array, index: jax.Array) -> jax.Array:
    """Return the sample at an index, or at one index per axis."""
    if index.ndim == 0:
        sample: jax.Array = jax.lax.dynamic_index_in_dim(buffer, index, keepdims=False)
        return sample
    index = jnp.broadcast_to(index, buffer.shape[1:])
    return jnp.take_along_axis(buffer, index[None], axis=0)[0]
