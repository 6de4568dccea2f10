"""No excitation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind
from dovetail.core.block import Time
from dovetail.testing.excitation.base import Excitation


@kind("rest")
class Rest(Excitation):
    """Zero at all times: the test is moved by its initial state alone."""

    def value(self, t: Time) -> jax.Array:
        return jnp.zeros_like(jnp.asarray(t, float))
