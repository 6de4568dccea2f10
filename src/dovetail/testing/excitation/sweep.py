"""Sine sweep excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.testing.excitation.base import Excitation


@kind("sweep")
class Sweep(Excitation):
    r"""Sine sweep with the frequency from `start_frequency` to `end_frequency` in `duration`.

    Linear: :math:`f = f_0 + (f_1 - f_0) s`; logarithmic: :math:`f = f_0 (f_1/f_0)^s`, with
    :math:`s = t/T`. With `direction` "up-down" the frequency returns to `start_frequency` in another `duration`, as the
    mirror of the first part. The phase is the integral of the frequency, so the signal is smooth; before t = 0 and
    after the end it is zero. An `end_frequency` below `start_frequency` sweeps downwards.
    """

    amplitude: Parameter = parameter("m", "amplitude")
    start_frequency: Parameter = parameter("Hz", "frequency at the start", at_least=0.0)
    end_frequency: Parameter = parameter("Hz", "frequency at the end of the sweep", above=0.0)
    duration: Parameter = parameter("s", "time from start to end frequency", above=0.0)
    sweep_law: str = choice(
        "linear", "logarithmic", about="frequency as a function of time", default="linear"
    )
    direction: str = choice("up", "up-down", about="one sweep, or up and back", default="up")

    def __check_init__(self) -> None:
        start, end = self.start_frequency, self.end_frequency
        if self.sweep_law == "linear" or not all_concrete(start, end):
            return
        if np.any(np.asarray(start) <= 0):
            raise ParameterError(
                f"Sweep.start_frequency: got {start} Hz; a logarithmic sweep starts above 0 Hz"
            )
        if np.any(np.asarray(start) == np.asarray(end)):
            raise ParameterError(
                "Sweep.end_frequency: equals start_frequency; use a sine for a constant frequency"
            )

    def value(self, t: Time) -> jax.Array:
        s = jnp.asarray(t, float) / self.duration
        last = 2.0 if self.direction == "up-down" else 1.0
        # clipped beyond the ends only: a clip at an end would halve the rate there
        fraction = jnp.clip(s, -1.0, last + 1.0)
        cycles = self._cycles(fraction)
        if self.direction == "up-down":  # the second half mirrors the first: cycles(2 - s) remain
            cycles = jnp.where(fraction > 1, 2 * self._cycles(1.0) - self._cycles(2 - fraction), cycles)
        inside = (s >= 0) & (s <= last)
        return jnp.where(inside, self.amplitude * jnp.sin(2 * jnp.pi * cycles), 0.0)

    def frequency(self, t: Time) -> jax.Array:
        """Return the instantaneous frequency [Hz] at t [s]."""
        s = jnp.asarray(t, float) / self.duration
        s = jnp.where(s > 1, 2 - s, s) if self.direction == "up-down" else s
        s = jnp.clip(s, 0.0, 1.0)
        if self.sweep_law == "linear":
            return self.start_frequency + (self.end_frequency - self.start_frequency) * s
        return self.start_frequency * (self.end_frequency / self.start_frequency) ** s

    def _cycles(self, s: jax.Array | float) -> jax.Array:
        """Return the cycles completed at the fraction `s` of the first sweep."""
        if self.sweep_law == "linear":
            return self.duration * (
                self.start_frequency * s + (self.end_frequency - self.start_frequency) * s**2 / 2
            )
        octaves = jnp.log(self.end_frequency / self.start_frequency)
        return self.duration * self.start_frequency * jnp.expm1(octaves * s) / octaves
