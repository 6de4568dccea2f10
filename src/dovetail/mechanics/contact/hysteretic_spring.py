"""A spring that gives back less, the faster it is let go."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import constant, kind, parameter
from dovetail.mechanics.contact.normal_law import NormalLaw


@kind("slow-return")
class SlowReturn(NormalLaw):
    r"""Elastic as it is pressed in, weaker as it springs back: a fabric or a rib that cannot follow.

    .. math:: F = k\,\delta^n\left[1 - h\tanh\frac{\langle-\dot\delta\rangle}{v_0}\right]

    Pressed in and let go at leisure it loses nothing, so that a slow test does not see the loss. A surrogate: the form
    is chosen, `share` is fitted.
    """

    exponent: float = constant("1", "n in the elastic force k depth^n", default=1.0, above=0.0)
    share: jax.Array = parameter(
        "1", "h, of the force lost in a fast return", default=0.5, at_least=0.0, at_most=1.0
    )
    fast: jax.Array = parameter("m/s", "v_0, speed at which the loss is fully there", default=0.1, above=0.0)

    def damping_force(self, depth, speed, impact_speed):
        return -self.spring(depth) * self.share * jnp.tanh(jnp.maximum(-speed, 0.0) / self.fast)
