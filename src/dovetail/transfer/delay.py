r"""Pure delay, whole or fractional: :math:`y(t) = u(t - \tau)`.

The signal between samples is reconstructed from its neighbours. With :math:`p = \tau/\Delta t = k + f`
(k whole, 0 <= f < 1) samples behind the newest:

- `linear`: :math:`(1-f)\,u_{-k} + f\,u_{-k-1}`; error up to :math:`\Delta t^2 \ddot u/8`.
- `cubic`: the cubic through the two samples on either side, :math:`u_{-k+1} \dots u_{-k-2}` (4-point Lagrange);
  error up to :math:`0.023\,\Delta t^4 u^{(4)}`. For p < 1 the next newer one is still to come, and it goes through
  the newest four: error up to :math:`0.042\,\Delta t^4 u^{(4)}`. Limit: there what changes from sample to sample,
  such as noise, is raised by up to a fifth, and a step overshoots by up to a quarter for one sample.

Amplitude is kept to :math:`(\omega\Delta t)^4/24` by `cubic`, and to :math:`(\omega\Delta t)^2/8` by `linear`, which
takes signal away where the delay is between samples and none where it is not: a loop with it bears less added delay
than one that is only late.

A whole number of samples is exact, and zero delay passes the input straight through. The derivative with respect to
the delay is that of the interpolant (at a whole number of samples, that towards longer delays).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import choice, constant, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.transfer.base import Transfer
from dovetail.transfer.linear import LinearTransfer

_WHOLE = 1e-9  # [samples] nearer than this to a whole number is that number: 0.009 / 0.001 is 9
_LONG = 256  # [samples] from here on shifting the buffer costs more than indexing around it


@kind("delay")
class Delay(Transfer):
    """Pure delay with a fractional part, y(t) = u(t - delay); see the module for the reconstruction.

    State: the last samples, newest first. Their number is fixed by `sampled_at` from the larger of `delay`
    and `longest`; a delay that reaches back further than that (or is negative) gives NaN, never a wrong
    number. To vary the delay, over a batch or by a gradient, set `longest` to the largest that may occur.
    Delays may differ per axis.

    A buffer of more than 256 samples is not shifted but written around, and the place of the newest is
    part of the state: faster, but one step is then no longer the same map at every time, so poles cannot be
    read from its Jacobian; `small_signal` gives the delay for that.
    """

    delay: jax.Array = parameter("s", "delay, whole or fractional", at_least=0.0)
    longest: float = constant("s", "longest delay the buffer must hold", default=0.0)
    interpolation: str = choice("linear", "cubic", about="reconstruction between samples", default="cubic")
    taps: int = eqx.field(static=True, default=0, kw_only=True)
    ring: bool = eqx.field(static=True, default=True, kw_only=True)  # a long buffer may be written around

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        longest = self.longest
        if not isinstance(self.delay, jax.core.Tracer):
            longest = max(longest, float(np.asarray(self.delay).max()))
        elif longest <= 0.0:
            raise ParameterError("Delay.delay: is traced, so its buffer has no length; set longest [s]")
        samples = int(np.floor(longest / float(dt) + _WHOLE))
        return dataclasses.replace(super().sampled_at(dt, shape), taps=max(samples + 3, 4))

    @property
    def shifted(self) -> bool:
        """Whether the buffer is a shift register, so that every step is the same linear map."""
        return self.taps <= _LONG or not self.ring

    def small_signal(self) -> Delay:
        """The same with a shift register however long it is, so that poles can be read from one step."""
        return dataclasses.replace(self, ring=False)

    def init(self) -> State:
        if self.taps == 0:
            raise ParameterError("Delay: its buffer has no length yet; call sampled_at(dt, shape) first")
        buffer = jnp.zeros((self.taps, *self.shape))
        return buffer if self.shifted else (buffer, jnp.zeros((), jnp.int32))

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        first, weights = _reconstruction(self.delay / dt, self.taps, self.interpolation == "cubic")
        u = jnp.asarray(u, float)
        if self.shifted:
            buffer = x = jnp.concatenate([u[None], x[:-1]])
            places = [first + j for j in range(len(weights))]
        else:
            buffer, newest = x
            newest = jnp.where(newest == 0, self.taps - 1, newest - 1)  # older samples follow
            buffer = jax.lax.dynamic_update_index_in_dim(buffer, u, newest, 0)
            x = buffer, newest
            places = [newest + first + j for j in range(len(weights))]
            places = [jnp.where(p >= self.taps, p - self.taps, p) for p in places]
        return x, sum(w * _pick(buffer, p) for w, p in zip(weights, places, strict=True))

    def linear(self) -> LinearTransfer:
        return LinearTransfer([1.0], [1.0], np.asarray(self.delay))


def _reconstruction(p, taps: int, cubic: bool):
    """For a delay of `p` [samples]: the first sample that takes part, and the weights from it on."""
    nearest = jnp.round(p)
    p = jnp.where(jnp.abs(p - nearest) < _WHOLE, p + jax.lax.stop_gradient(nearest - p), p)
    k = jnp.floor(jax.lax.stop_gradient(p))
    held = (k >= 0) & (k <= taps - 3)
    k = jnp.where(held, k, 0)
    first = jnp.maximum(k - 1, 0) if cubic else k
    f = jnp.where(held, p - first, jnp.nan)
    nodes = range(4 if cubic else 2)
    weights = [math.prod([(f - j) / (i - j) for j in nodes if j != i]) for i in nodes]
    return first.astype(jnp.int32), weights


def _pick(buffer, place):
    """Sample at `place`, or one place per axis."""
    if place.ndim == 0:
        return jax.lax.dynamic_index_in_dim(buffer, place, keepdims=False)
    place = jnp.broadcast_to(place, buffer.shape[1:])
    return jnp.take_along_axis(buffer, place[None], axis=0)[0]
