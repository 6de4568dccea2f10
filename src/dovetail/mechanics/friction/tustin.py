"""Dry friction that falls from stiction to sliding: the Stribeck effect as Tustin wrote it."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.friction.base import MemorylessFriction


@kind("tustin-friction")
class Tustin(MemorylessFriction):
    r"""Exponential fall from stiction to sliding friction, without a viscous part:

    .. math:: \mu(v) = \mu_1 + (\mu_0 - \mu_1)\,e^{-|v|/v_S}

    [Tustin 1947; Bondoky 2020, eq. 6.33, where the bracket is misprinted so that sliding friction would
    vanish]. Defaults are polyimide on aluminium [Bondoky 2020, sec. 6.5.1.1].
    """

    stiction: jax.Array = parameter("1", "coefficient at the onset of slip", at_least=0.0, default=0.35)
    sliding: jax.Array = parameter("1", "coefficient of fast slip", at_least=0.0, default=0.25)
    stribeck: jax.Array = parameter("m/s", "speed over which it falls", above=0.0, default=0.015)

    def coefficient(self, speed) -> jax.Array:
        return self.sliding + (self.stiction - self.sliding) * jnp.exp(-speed / self.stribeck)
