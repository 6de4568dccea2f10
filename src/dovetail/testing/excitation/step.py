"""A step."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("step")
class Step(Excitation):
    """Zero before `at`, `height` from then on; over `rise` it climbs by a half cosine (0: at once).

    The rate of a step at once is zero everywhere: its impulse cannot be seen at a sample. A part that uses
    `rate` should be given a `rise`.
    """

    height: jax.Array = parameter("m", "height")
    at: jax.Array = parameter("s", "time of the step", default=0.0)
    rise: jax.Array = parameter("s", "time it takes", default=0.0, at_least=0.0)

    def value(self, t: Time) -> jax.Array:
        since = jnp.asarray(t, float) - self.at
        rise = jnp.where(self.rise > 0, self.rise, 1.0)
        smooth = (1 - jnp.cos(jnp.pi * jnp.clip(since / rise, 0.0, 1.0))) / 2
        sudden = jnp.where(since >= 0, 1.0, 0.0)
        return self.height * jnp.where(self.rise > 0, smooth, sudden)
