r"""When an explicit step will do: how stiff a flow is at a state, and the step that is taken where it is not.

The step that accuracy allows may be shorter than what an explicit method could take; then its four evaluations are
cheaper than implicit stages with their matrix. It is so where :math:`h\rho` is inside the method's stability region,
:math:`\rho` being the largest rate of the linearised flow. One evaluation a step gives it by the power method,

.. math:: w_k = J v_k \approx \frac{f(y + \epsilon v_k) - f(y)}{\epsilon}, \qquad v_{k+1} = \frac{w_k}{|w_k|},
          \qquad \rho \approx \sqrt{|w_k|\,|w_{k-1}|}

in units of the flow's scales; the mean of two growths since an undamped oscillator's matrix turns displacements into
speeds and back. The direction is kept from step to step, so that it has arrived after a few. The explicit step is
Bogacki and Shampine's, of order three with an error of order two [Bogacki & Shampine 1989]. LSODA, the solver of
[Schock 2020, sec. 5.2], decides alike between Adams and BDF, by the norm of a Jacobian that it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dovetail.core.methods import BogackiShampine
from dovetail.core.methods.runge_kutta import advanced

REACH = 1.7  # of the explicit step along the imaginary axis, which is its nearest limit
BACK = 0.5  # share of it within which an implicit method gives way, so that it does not change at every step


class MethodChoice(NamedTuple):
    """What is remembered from step to step: which method, the direction of the fastest motion, its growth [1/s]."""

    stiff: jax.Array
    direction: jax.Array  # (n,) in units of the flow's scales
    growth: jax.Array
    steps: jax.Array  # (2,) explicit and implicit attempts so far


def begun(size: int) -> MethodChoice:
    """Nothing is known yet: implicit."""
    direction = jnp.ones(size) / jnp.sqrt(size)
    return MethodChoice(jnp.asarray(True), direction, jnp.asarray(jnp.inf), jnp.zeros(2))


def chosen(
    choice: MethodChoice, f: Callable, y: jax.Array, rate: jax.Array, scale: jax.Array, h: jax.Array
) -> MethodChoice:
    """Explicit or implicit for a step of h [s] from y, where the rate is f(y)."""
    size = 1e-7 * (1.0 + jnp.linalg.norm(y / scale))
    w = (f(y + size * scale * choice.direction) - rate) / (size * scale)
    growth = jnp.linalg.norm(w)
    fastest = jnp.where(jnp.isinf(choice.growth), jnp.inf, jnp.sqrt(growth * choice.growth))
    within = jnp.where(choice.stiff, BACK, 1.0) * REACH
    stiff = h * fastest > within
    direction = jnp.where(growth > 0, w / jnp.where(growth > 0, growth, 1.0), choice.direction)
    return MethodChoice(
        stiff, direction, growth, choice.steps + jnp.where(stiff, jnp.eye(2)[1], jnp.eye(2)[0])
    )


def explicit(f: Callable, y: jax.Array, rate: jax.Array, h: jax.Array) -> tuple[Any, jax.Array]:
    """One explicit step of f(share of the step, y), and the estimate of its error."""
    tableau = BogackiShampine.tableau
    rates = tableau.rates(f, y, h, first=rate)
    new = advanced(y, h, tableau.b, rates)
    return new, advanced(jnp.zeros_like(y), h, BogackiShampine.error, [*rates, f(1.0, new)])
