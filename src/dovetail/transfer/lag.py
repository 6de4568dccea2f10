r"""Lags of first and second order, discretised exactly.

Between samples the input either changes linearly from the last sample to the new one (`foh`, the default: adds no
delay) or has the new value over the whole step (`zoh`). The equation is solved exactly for both, so any step is stable
and the poles of the sampled lag are those of the lag. The solution uses the particular solution of the ramp:
:math:`x(\Delta t) = x_p(\Delta t) + \Phi\,(x(0) - x_p(0))`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Transfer
from dovetail.transfer.continuous import FirstOrder, SecondOrder
from dovetail.transfer.linear import LinearTransfer


def hold() -> str:
    """Return the field that selects the input between samples."""
    field: str = choice("foh", "zoh", about="input between samples", default="foh")
    return field


@kind("first-order-lag")
class FirstOrderLag(Transfer):
    r"""First-order lag, :math:`\tau\dot y = g u - y`.

    Phase delay :math:`\arctan(\omega\tau)/\omega`, tau at low frequency. Not modelled: limits (use an
    `AmplitudeLimit` or `RateLimit` in series).
    """

    tau: Parameter = parameter("s", "time constant", above=0.0)
    gain: Parameter = parameter("1", "gain at rest", default=1.0)
    hold: str = hold()

    def init(self) -> State:
        return jnp.zeros(self.shape), jnp.zeros(self.shape)  # output, last input

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        y, last = x
        u = jnp.asarray(u, float)
        start = last if self.hold == "foh" else u
        lag = self.tau * (u - start) / dt  # distance of the output below a steady ramp
        y = self.gain * (u - lag) + jnp.exp(-dt / self.tau) * (y - self.gain * (start - lag))
        return (y, u), y

    def continuous_model(self) -> FirstOrder:
        return FirstOrder(self)

    def linear(self) -> LinearTransfer:
        tau, gain = np.asarray(self.tau), np.asarray(self.gain)
        return LinearTransfer(gain[None], np.stack([tau, np.ones_like(tau)]))


@kind("second-order-lag")
class SecondOrderLag(Transfer):
    r"""Second-order lag, :math:`\ddot y + 2\zeta\omega\dot y + \omega^2 y = \omega^2 g u`.

    Phase delay :math:`2\zeta/\omega` at low frequency. One formula covers under-, over- and critical damping,
    because :math:`\cosh\sqrt d` and :math:`\sinh\sqrt d/\sqrt d` are smooth at d = 0.
    """

    omega: Parameter = parameter("rad/s", "undamped natural angular frequency", above=0.0)
    damping: Parameter = parameter("1", "damping ratio", at_least=0.0)
    gain: Parameter = parameter("1", "gain at rest", default=1.0)
    hold: str = hold()

    def init(self) -> State:
        zero = jnp.zeros(self.shape)
        return zero, zero, zero  # output, its rate, last input

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        y, v, last = x
        u = jnp.asarray(u, float)
        start = last if self.hold == "foh" else u
        slope = self.gain * (u - start) / dt
        lag = 2 * self.damping / self.omega * slope

        # the difference to the particular solution decays by exp(A dt)
        y, v = y - (self.gain * start - lag), v - slope
        angle, decay = self.omega * dt, self.damping * self.omega * dt
        c, s = _decayed_cosh_sinhc((self.damping**2 - 1) * angle**2, decay)
        s = s * dt
        rate = self.damping * self.omega
        y, v = (c + rate * s) * y + s * v, (c - rate * s) * v - self.omega**2 * s * y

        y, v = y + self.gain * u - lag, v + slope
        return (y, v, u), y

    def continuous_model(self) -> SecondOrder:
        return SecondOrder(self)

    def linear(self) -> LinearTransfer:
        w, zeta, gain = np.broadcast_arrays(self.omega, self.damping, self.gain)
        return LinearTransfer((gain * w**2)[None], np.stack([np.ones_like(w), 2 * zeta * w, w**2]))


def _decayed_cosh_sinhc(d: jax.Array, decay: jax.Array) -> tuple[jax.Array, jax.Array]:
    r"""`exp(-decay)` times :math:`\cosh\sqrt d` and times :math:`\sinh\sqrt d/\sqrt d`, for d of either sign.

    For over-damping (d > 0) the exponents are added before exponentiation, so none overflows.
    """
    small = jnp.abs(d) < 1e-3  # series accurate to 1e-16: the next term is d^5/11! or less
    size = jnp.sqrt(jnp.where(small, 1.0, jnp.abs(d)))
    slow, fast = jnp.exp(size - decay), jnp.exp(-size - decay)
    fade = jnp.exp(-decay)
    over = d > 0
    slow, fast = jnp.where(over, slow, 1.0), jnp.where(over, fast, 1.0)
    c = jnp.where(over, (slow + fast) / 2, fade * jnp.cos(size))
    s = jnp.where(over, (slow - fast) / 2 / size, fade * jnp.sin(size) / size)
    c_series = fade * (1 + d / 2 * (1 + d / 12 * (1 + d / 30 * (1 + d / 56))))
    s_series = fade * (1 + d / 6 * (1 + d / 20 * (1 + d / 42 * (1 + d / 72))))
    return jnp.where(small, c_series, c), jnp.where(small, s_series, s)
