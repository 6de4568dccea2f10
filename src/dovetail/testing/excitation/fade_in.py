"""A smooth start for any excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("faded")
class Faded(Excitation):
    """Another excitation that grows from nothing over `rise`, by a half cosine, so a test starts smoothly."""

    excitation: Excitation
    rise: jax.Array = parameter("s", "time until the full amplitude", above=0.0)
    start: jax.Array = parameter("s", "time at which it begins", default=0.0)

    @property
    def ends(self) -> float:
        return self.excitation.ends

    def value(self, t: Time) -> jax.Array:
        progress = jnp.clip((t - self.start) / self.rise, 0.0, 1.0)
        return self.excitation(t) * (1 - jnp.cos(jnp.pi * progress)) / 2
