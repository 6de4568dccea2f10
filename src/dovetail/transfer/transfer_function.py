r"""Any proper linear actuator, given as identified: :math:`G(s) = b(s)/a(s)`, stepped exactly."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import arrived
from dovetail.transfer.base import Transfer
from dovetail.transfer.continuous import Follower, Signal
from dovetail.transfer.exponential import expm
from dovetail.transfer.lag import hold
from dovetail.transfer.linear import LinearTransfer


@kind("transfer-function")
class TransferFunction(Transfer):
    r"""Linear system :math:`G(s) = b(s)/a(s)`, proper, e.g. ``TransferFunction([166.5], [1.0, 169.3])``.

    Coefficients from the highest power down; a second axis, if any, runs over the actuators. Realised in
    controllable form with time measured in units of the poles' size, so coefficients of any magnitude are
    well scaled, and stepped with the exponential of the augmented matrix: exact for an input that moves
    linearly between samples (`ramp`) or has the new value over the step (`held`).

    Limit: poles up to about 5000/dt (the matrix exponential gives NaN beyond).
    """

    numerator: jax.Array = parameter("1", "coefficients of b(s), highest power first")
    denominator: jax.Array = parameter("1", "coefficients of a(s), highest power first")
    hold: str = hold()

    def __check_init__(self):
        b, a = self.numerator, self.denominator
        if not arrived(b, a):
            return
        if b.ndim == 0 or a.ndim == 0:
            raise ParameterError("TransferFunction: coefficients are lists, e.g. [166.5] over [1.0, 169.3]")
        if b.shape[0] > a.shape[0]:
            raise ParameterError(
                f"TransferFunction.numerator: order {b.shape[0] - 1} is above the denominator's "
                f"{a.shape[0] - 1}; an improper system differentiates its input and cannot be stepped"
            )
        if not isinstance(a, jax.core.Tracer) and np.any(np.asarray(a)[0] == 0):
            raise ParameterError("TransferFunction.denominator: its leading coefficient is 0; leave it out")

    def _per_axis(self) -> list[str]:
        return []

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> TransferFunction:
        for name in ("numerator", "denominator"):
            given = getattr(self, name).shape
            if given[1:] not in ((), tuple(shape)):
                raise ParameterError(
                    f"TransferFunction.{name}: has shape {given} and the interface {tuple(shape)}; "
                    f"give one list of coefficients or one column per axis"
                )
        return super().sampled_at(dt, shape)

    @property
    def order(self) -> int:
        """Number of poles."""
        return self.denominator.shape[0] - 1

    def init(self) -> State:
        return jnp.zeros((self.order, *self.shape)), jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        inner, last = x
        u = jnp.asarray(u, float)
        inner, y = self.per_axis(partial(_advance, dt=dt, ramp=self.hold == "ramp"), inner, (last, u), (1, 0))
        return (inner, u), y

    def per_axis(self, f, x, u: tuple[jax.Array, ...], out_axes):
        """`f(b, a, x, *u)`, for each actuator with its own coefficients where they have their own."""
        axes = [1 if c.ndim > 1 else None for c in (self.numerator, self.denominator)]
        if axes != [None, None]:
            f = jax.vmap(f, (*axes, 1, *(0 for _ in u)), out_axes)
        return f(self.numerator, self.denominator, x, *u)

    def follower(self) -> LinearFollower:
        return LinearFollower(self)

    def linear(self) -> LinearTransfer:
        return LinearTransfer(np.asarray(self.numerator), np.asarray(self.denominator))


class LinearFollower(Follower):
    """The same system in continuous time; its state is that of the controllable form."""

    part: TransferFunction

    def init(self) -> State:
        return self.part.init()[0]

    def steady(self, u: Signal) -> State:
        def settled(b, a, x, value, slope):
            A, B, _, _, rate = controllable(b, a)
            climb = -jnp.linalg.solve(A, _outer(B, slope))  # the state of a ramp rises with it
            return jnp.linalg.solve(A, climb / rate - _outer(B, value))

        slope = u[1] if len(u) > 1 else jnp.zeros_like(u[0])
        return self.part.per_axis(settled, self.init(), (u[0], slope), 1)

    def derivative(self, t: Time, x: State, u: Signal) -> State:
        return self.part.per_axis(_rate, x, u[:1], 1)

    def output(self, t: Time, x: State, u: Signal) -> Signal:
        outputs = [self.part.per_axis(_shown, x, u[:1], 0)]
        for known in u[1:]:  # the rates of the state under those of the input
            x = self.part.per_axis(_rate, x, (u[len(outputs) - 1],), 1)
            outputs.append(self.part.per_axis(_shown, x, (known,), 0))
        return tuple(outputs)

    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        return self.part.step(t, h, (x, start), end)[0][0]


def _rate(b, a, x, u):
    A, B, _, _, rate = controllable(b, a)
    return rate * (jnp.tensordot(A, x, 1) + _outer(B, u))


def _shown(b, a, x, u):
    _, _, C, D, _ = controllable(b, a)
    return jnp.tensordot(C, x, 1) + D * u


def _advance(b, a, x, last, u, *, dt, ramp: bool):
    A, B, C, D, rate = controllable(b, a)
    n = A.shape[0]
    augmented = jnp.zeros((n + 2, n + 2)).at[:n, :n].set(A).at[:n, n].set(B) * (rate * dt)
    phi = expm(augmented.at[n, n + 1].set(1.0))  # the ramp rises by one over the step
    start = last if ramp else u
    x = jnp.tensordot(phi[:n, :n], x, 1) + _outer(phi[:n, n], start) + _outer(phi[:n, n + 1], u - start)
    return x, jnp.tensordot(C, x, 1) + D * u


def _outer(column, u):
    return column.reshape(-1, *(1,) * jnp.ndim(u)) * u


def controllable(b, a):
    """Controllable form (A, B, C, D, rate): dx/dt = rate (A x + B u), y = C x + D u.

    `rate` [1/s] is the largest of |a_k/a_0|^(1/k), within a factor two of a bound on the poles; in units
    of it the matrix has entries of at most one.
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
