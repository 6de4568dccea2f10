"""Contact spring with a smaller force in unloading, depending on the unloading speed."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, constant, kind, parameter
from dovetail.mechanics.contact.normal_law import NormalLaw, Values, ValuesLike


@kind("hysteretic-spring")
class HystereticSpring(NormalLaw):
    r"""Elastic in loading, with a reduced force in fast unloading: a fabric or a rib that returns slowly.

    .. math:: F = k\,\delta^n\left[1 - h\tanh\frac{\langle-\dot\delta\rangle}{v_0}\right]

    Slow loading and unloading dissipates no energy, so a slow test does not show the loss. The form is a surrogate;
    `loss_fraction` is fitted.
    """

    exponent: float = constant("1", "n in the elastic force k depth^n", default=1.0, above=0.0)
    loss_fraction: Parameter = parameter(
        "1", "h, fraction of the force lost in fast unloading", default=0.5, at_least=0.0, at_most=1.0
    )
    loss_speed: Parameter = parameter(
        "m/s", "v_0, unloading speed above which the loss is fully developed", default=0.1, above=0.0
    )

    def damping_force(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        return -self.spring(depth) * self.loss_fraction * jnp.tanh(jnp.maximum(-speed, 0.0) / self.loss_speed)
