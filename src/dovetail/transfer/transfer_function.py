r"""Proper linear transfer function :math:`G(s) = b(s)/a(s)`, discretised exactly."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays
from dovetail.transfer.base import Transfer
from dovetail.transfer.continuous import Follower, Signal
from dovetail.transfer.exponential import expm
from dovetail.transfer.lag import hold
from dovetail.transfer.linear import LinearTransfer


@kind("transfer-function")
class TransferFunction(Transfer):
    r"""Linear system :math:`G(s) = b(s)/a(s)`, proper: ``TransferFunction([166.5], [1.0, 169.3])``.

    Coefficients are ordered from the highest power down; an optional second axis is the interface axis (actuator). The
    realisation is the controllable form, with time in units of the pole size, so coefficients of any magnitude are well
    scaled. The step uses the exponential of the augmented matrix and is exact for an input that changes linearly
    between samples (`foh`) or has the new value over the step (`zoh`).

    Limit: poles up to about 5000/dt; beyond it the matrix exponential gives NaN.
    """

    numerator: Parameter = parameter("1", "coefficients of b(s), highest power first")
    denominator: Parameter = parameter("1", "coefficients of a(s), highest power first")
    hold: str = hold()

    def __check_init__(self) -> None:
        b, a = self.numerator, self.denominator
        if not all_arrays(b, a):
            return
        if b.ndim == 0 or a.ndim == 0:
            raise ParameterError(
                "TransferFunction: got a number; expected lists of coefficients, for example [166.5] over [1.0, 169.3]"
            )
        if b.shape[0] > a.shape[0]:
            raise ParameterError(
                f"TransferFunction.numerator: got order {b.shape[0] - 1} and a denominator of order "
                f"{a.shape[0] - 1}; an improper system differentiates its input and cannot be simulated"
            )
        if not isinstance(a, jax.core.Tracer) and np.any(np.asarray(a)[0] == 0):
            raise ParameterError("TransferFunction.denominator: got a leading coefficient of 0; remove it")

    def _per_axis(self) -> list[str]:
        return []

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> TransferFunction:
        for name in ("numerator", "denominator"):
            size = getattr(self, name).shape
            if size[1:] not in ((), tuple(shape)):
                raise ParameterError(
                    f"TransferFunction.{name}: got shape {size} for the interface {tuple(shape)}; "
                    f"expected one list of coefficients, or one column per axis"
                )
        return super().with_sample_time(dt, shape)

    @property
    def order(self) -> int:
        """Number of poles."""
        return self.denominator.shape[0] - 1

    def init(self) -> State:
        return jnp.zeros((self.order, *self.shape)), jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        inner, last = x
        u = jnp.asarray(u, float)
        inner, y = self.per_axis(partial(_advance, dt=dt, foh=self.hold == "foh"), inner, (last, u), (1, 0))
        return (inner, u), y

    def per_axis(self, f: Callable[..., Any], x: State, u: tuple[jax.Array, ...], out_axes: Any) -> Any:
        """Return `f(b, a, x, *u)`, mapped over the actuators if their coefficients differ."""
        axes = [1 if c.ndim > 1 else None for c in (self.numerator, self.denominator)]
        if axes != [None, None]:
            f = jax.vmap(f, (*axes, 1, *(0 for _ in u)), out_axes)
        return f(self.numerator, self.denominator, x, *u)

    def continuous_model(self) -> LinearFollower:
        return LinearFollower(self)

    def linear(self) -> LinearTransfer:
        return LinearTransfer(np.asarray(self.numerator), np.asarray(self.denominator))


class LinearFollower(Follower):
    """Continuous-time model of a transfer function; the state is that of the controllable form."""

    part: TransferFunction

    def init(self) -> State:
        return self.part.init()[0]

    def steady(self, u: Signal) -> State:
        def steady_state(
            b: jax.Array, a: jax.Array, x: jax.Array, value: jax.Array, slope: jax.Array
        ) -> jax.Array:
            A, B, _, _, rate = controllable(b, a)
            slope_state = -jnp.linalg.solve(A, _outer(B, slope))  # rate of the state under a ramp
            x0: jax.Array = jnp.linalg.solve(A, slope_state / rate - _outer(B, value))
            return x0

        slope = u[1] if len(u) > 1 else jnp.zeros_like(u[0])
        return self.part.per_axis(steady_state, self.init(), (u[0], slope), 1)

    def derivative(self, t: Time, x: State, u: Signal) -> State:
        return self.part.per_axis(_rate, x, u[:1], 1)

    def output(self, t: Time, x: State, u: Signal) -> Signal:
        outputs = [self.part.per_axis(_output, x, u[:1], 0)]
        for rate in u[1:]:  # rates of the state for the rates of the input
            x = self.part.per_axis(_rate, x, (u[len(outputs) - 1],), 1)
            outputs.append(self.part.per_axis(_output, x, (rate,), 0))
        return tuple(outputs)

    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        return self.part.step(t, h, (x, start), end)[0][0]


def _rate(b: jax.Array, a: jax.Array, x: jax.Array, u: jax.Array) -> jax.Array:
    A, B, _, _, rate = controllable(b, a)
    return rate * (jnp.tensordot(A, x, 1) + _outer(B, u))


def _output(b: jax.Array, a: jax.Array, x: jax.Array, u: jax.Array) -> jax.Array:
    _, _, C, D, _ = controllable(b, a)
    return jnp.tensordot(C, x, 1) + D * u


def _advance(
    b: jax.Array, a: jax.Array, x: jax.Array, last: jax.Array, u: jax.Array, *, dt: Time, foh: bool
) -> tuple[jax.Array, jax.Array]:
    A, B, C, D, rate = controllable(b, a)
    n = A.shape[0]
    augmented = jnp.zeros((n + 2, n + 2)).at[:n, :n].set(A).at[:n, n].set(B) * (rate * dt)
    phi = expm(augmented.at[n, n + 1].set(1.0))  # unit ramp over the step
    start = last if foh else u
    x = jnp.tensordot(phi[:n, :n], x, 1) + _outer(phi[:n, n], start) + _outer(phi[:n, n + 1], u - start)
    return x, jnp.tensordot(C, x, 1) + D * u


def _outer(column: jax.Array, u: jax.Array) -> jax.Array:
    return column.reshape(-1, *(1,) * jnp.ndim(u)) * u


def controllable(b: jax.Array, a: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]:
    """Return the controllable form (A, B, C, D, rate): dx/dt = rate (A x + B u), y = C x + D u.

    `rate` [1/s] is the largest of |a_k/a_0|^(1/k), within a factor two of a bound on the poles. In its units the matrix
    has entries of at most one.
    """
    n = a.shape[0] - 1
    b = jnp.concatenate([jnp.zeros(n + 1 - b.shape[0]), b]) / a[0]
    a = a / a[0]
    k = jnp.arange(1, n + 1)
    size = jnp.abs(a[1:])
    rate = jnp.max(jnp.where(size > 0, jnp.where(size > 0, size, 1.0) ** (1 / k), 0.0), initial=0.0)
    rate = jax.lax.stop_gradient(jnp.where(rate > 0, rate, 1.0))
    a_scaled, b_scaled = a[1:] / rate**k, b[1:] / rate**k
    A = jnp.eye(n, k=-1).at[0, :].set(-a_scaled) if n else jnp.zeros((0, 0))
    B = jnp.eye(n)[:, 0] if n else jnp.zeros(0)
    return A, B, b_scaled - b[0] * a_scaled, b[0], rate
