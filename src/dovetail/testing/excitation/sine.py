"""Sine excitations: a sine and a sum of sines."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays
from dovetail.testing.excitation.base import Excitation


@kind("sine")
class Sine(Excitation):
    """Sine: amplitude sin(2 pi frequency t + phase) + offset."""

    amplitude: Parameter = parameter("m", "amplitude")
    frequency: Parameter = parameter("Hz", "frequency", at_least=0.0)
    phase: Parameter = parameter("rad", "phase at t = 0", default=0.0)
    offset: Parameter = parameter("m", "mean", default=0.0)

    def value(self, t: Time) -> jax.Array:
        return self.amplitude * jnp.sin(2 * jnp.pi * self.frequency * t + self.phase) + self.offset


@kind("sum-of-sines")
class SumOfSines(Excitation):
    """Sum of sines: amplitude sin(2 pi frequency t + phase) for each."""

    amplitudes: Parameter = parameter("m", "amplitude of each sine")
    frequencies: Parameter = parameter("Hz", "frequency of each sine", at_least=0.0)
    phases: Parameter = parameter("rad", "phase of each sine at t = 0, or one for all", default=0.0)

    def __check_init__(self) -> None:
        a, f, p = self.amplitudes, self.frequencies, self.phases
        if not all_arrays(a, f, p):
            return
        if a.ndim != 1 or f.shape != a.shape or p.shape not in ((), a.shape):
            raise ParameterError(
                f"SumOfSines: {a.shape} amplitudes, {f.shape} frequencies and {p.shape} phases; "
                f"give one list of each, of the same length"
            )

    def value(self, t: Time) -> jax.Array:
        angle = 2 * jnp.pi * self.frequencies * jnp.expand_dims(t, -1) + self.phases
        return jnp.sum(self.amplitudes * jnp.sin(angle), axis=-1)
