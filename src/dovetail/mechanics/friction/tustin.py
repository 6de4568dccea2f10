"""Coulomb friction with Stribeck effect in Tustin's form."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.friction.base import MemorylessFriction


@kind("tustin-friction")
class Tustin(MemorylessFriction):
    r"""Friction coefficient that decreases exponentially from the static to the kinetic value; no viscous part:

    .. math:: \mu(v) = \mu_1 + (\mu_0 - \mu_1)\,e^{-|v|/v_S}

    [Tustin 1947; Bondoky 2020, eq. 6.33, corrected: with the printed bracket the kinetic friction would be zero].
    Defaults are polyimide on aluminium [Bondoky 2020, sec. 6.5.1.1].
    """

    mu_static: Parameter = parameter("1", "coefficient at the onset of slip", at_least=0.0, default=0.35)
    mu_kinetic: Parameter = parameter("1", "coefficient of fast slip", at_least=0.0, default=0.25)
    stribeck_speed: Parameter = parameter(
        "m/s", "slip speed over which the coefficient decreases", above=0.0, default=0.015
    )

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return self.mu_kinetic + (self.mu_static - self.mu_kinetic) * jnp.exp(-speed / self.stribeck_speed)
