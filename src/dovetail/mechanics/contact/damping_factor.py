"""Dissipative law with a prescribed damping factor: fitted, or varied to cover many laws in one batch."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("damping-factor")
class DampingFactor(DissipativeLaw):
    r"""Law with a prescribed damping factor :math:`\Lambda`; `restitution` is not used.

    Laws of Hunt and Crossley's form differ in this number only, so a batch of them is one law with an array of factors.
    """

    factor: Parameter = parameter("1", "damping times impact speed over stiffness", at_least=0.0, default=0.4)

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return self.factor * jnp.ones_like(restitution)
