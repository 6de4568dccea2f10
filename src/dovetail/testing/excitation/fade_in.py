"""Fade-in of an excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("fade-in")
class FadeIn(Excitation):
    """Excitation multiplied by a half-cosine fade-in over `rise_time`."""

    excitation: Excitation
    rise_time: Parameter = parameter("s", "duration of the fade-in", above=0.0)
    start: Parameter = parameter("s", "start of the fade-in", default=0.0)

    @property
    def valid_until(self) -> float:
        return self.excitation.valid_until

    def value(self, t: Time) -> jax.Array:
        progress = jnp.clip((t - self.start) / self.rise_time, 0.0, 1.0)
        return self.excitation(t) * (1 - jnp.cos(jnp.pi * progress)) / 2
