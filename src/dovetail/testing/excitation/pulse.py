"""Pulse excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("pulse")
class Pulse(Excitation):
    """Half-sine or rectangular pulse of `amplitude` and `duration` from `start`; zero otherwise."""

    amplitude: Parameter = parameter("m", "amplitude of the pulse")
    duration: Parameter = parameter("s", "duration of the pulse", above=0.0)
    start: Parameter = parameter("s", "start of the pulse", default=0.0)
    profile: str = choice("half-sine", "rectangular", about="shape of the pulse", default="half-sine")

    def value(self, t: Time) -> jax.Array:
        s = (jnp.asarray(t, float) - self.start) / self.duration
        inside = (s >= 0) & (s < 1)
        shape = jnp.sin(jnp.pi * jnp.clip(s, 0.0, 1.0)) if self.profile == "half-sine" else 1.0
        return jnp.where(inside, self.amplitude * shape, 0.0)
