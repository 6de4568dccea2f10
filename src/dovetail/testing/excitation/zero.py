"""Zero excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("zero")
class Zero(Excitation):
    """Zero excitation: the motion follows from the initial state only."""

    def value(self, t: Time) -> jax.Array:
        return jnp.zeros_like(jnp.asarray(t, float))
