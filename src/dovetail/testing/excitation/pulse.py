"""A pulse."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import choice, kind, parameter
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("pulse")
class Pulse(Excitation):
    """`height` for a time of `width` from `at`, as half a sine or as a rectangle; zero otherwise."""

    height: jax.Array = parameter("m", "height")
    width: jax.Array = parameter("s", "time it lasts", above=0.0)
    at: jax.Array = parameter("s", "time at which it begins", default=0.0)
    form: str = choice("half-sine", "rectangular", about="form of the pulse", default="half-sine")

    def value(self, t: Time) -> jax.Array:
        s = (jnp.asarray(t, float) - self.at) / self.width
        inside = (s >= 0) & (s < 1)
        form = jnp.sin(jnp.pi * jnp.clip(s, 0.0, 1.0)) if self.form == "half-sine" else 1.0
        return jnp.where(inside, self.height * form, 0.0)
