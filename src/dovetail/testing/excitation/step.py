"""Step excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("step")
class Step(Excitation):
    """Step of `amplitude` at `start`, with a half-cosine rise over `rise_time` (0: immediate).

    The rate of an immediate step is zero everywhere, because its impulse has no value at a sample. Use a `rise_time`
    for a part that uses the rate.
    """

    amplitude: Parameter = parameter("m", "amplitude of the step")
    start: Parameter = parameter("s", "time of the step", default=0.0)
    rise_time: Parameter = parameter("s", "duration of the rise", default=0.0, at_least=0.0)

    def value(self, t: Time) -> jax.Array:
        elapsed = jnp.asarray(t, float) - self.start
        rise_time = jnp.where(self.rise_time > 0, self.rise_time, 1.0)
        smooth = (1 - jnp.cos(jnp.pi * jnp.clip(elapsed / rise_time, 0.0, 1.0))) / 2
        immediate = jnp.where(elapsed >= 0, 1.0, 0.0)
        return self.amplitude * jnp.where(self.rise_time > 0, smooth, immediate)
