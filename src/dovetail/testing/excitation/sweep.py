r"""Sine sweeps: a frequency that travels through a band."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import choice, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.testing.excitation.base import Excitation


@kind("sweep")
class Sweep(Excitation):
    r"""amplitude sin phi(t), with the instantaneous frequency going from `low` to `high` in `duration`.

    Linear: :math:`f = f_0 + (f_1 - f_0) s`; logarithmic: :math:`f = f_0 (f_1/f_0)^s`, with
    :math:`s = t/T`. `path` "up-down" comes back to `low` by the mirror of the way up, in another
    `duration`. The phase is the integral of the frequency, so the signal is smooth throughout; before t = 0
    and after the end it is zero. `high` below `low` sweeps downwards.
    """

    amplitude: jax.Array = parameter("m", "amplitude")
    low: jax.Array = parameter("Hz", "frequency at the start", at_least=0.0)
    high: jax.Array = parameter("Hz", "frequency at the end of the way up", above=0.0)
    duration: jax.Array = parameter("s", "time of the way from low to high", above=0.0)
    spacing: str = choice("linear", "logarithmic", about="how the frequency travels", default="linear")
    path: str = choice("up", "up-down", about="one way or there and back", default="up")

    def __check_init__(self):
        low, high = self.low, self.high
        if self.spacing == "linear" or not known(low, high):
            return
        if np.any(np.asarray(low) <= 0):
            raise ParameterError(f"Sweep.low: got {low}; a logarithmic sweep starts above 0 Hz")
        if np.any(np.asarray(low) == np.asarray(high)):
            raise ParameterError("Sweep.high: equals low; a sweep between equal frequencies is a Sine")

    def value(self, t: Time) -> jax.Array:
        s = jnp.asarray(t, float) / self.duration
        last = 2.0 if self.path == "up-down" else 1.0
        # kept finite far outside, not at the ends: a clip there would halve the rate at that very moment
        at = jnp.clip(s, -1.0, last + 1.0)
        cycles = self._cycles(at)
        if self.path == "up-down":  # the mirror of the way up: cycles(2 - s) still to come
            cycles = jnp.where(at > 1, 2 * self._cycles(1.0) - self._cycles(2 - at), cycles)
        inside = (s >= 0) & (s <= last)
        return jnp.where(inside, self.amplitude * jnp.sin(2 * jnp.pi * cycles), 0.0)

    def frequency(self, t: Time) -> jax.Array:
        """Instantaneous frequency [Hz] at t [s]."""
        s = jnp.asarray(t, float) / self.duration
        s = jnp.where(s > 1, 2 - s, s) if self.path == "up-down" else s
        s = jnp.clip(s, 0.0, 1.0)
        if self.spacing == "linear":
            return self.low + (self.high - self.low) * s
        return self.low * (self.high / self.low) ** s

    def _cycles(self, s):
        """Cycles completed at the fraction `s` of the way up."""
        if self.spacing == "linear":
            return self.duration * (self.low * s + (self.high - self.low) * s**2 / 2)
        octaves = jnp.log(self.high / self.low)
        return self.duration * self.low * jnp.expm1(octaves * s) / octaves
