r"""Switching to explicit steps: stiffness estimate of a flow, and the explicit step where it is not stiff.

If the step that accuracy allows is shorter than the stability limit of an explicit method, its four evaluations are
cheaper than implicit stages with their matrix. The condition is that :math:`h\rho` is inside the stability region, with
:math:`\rho` the largest rate of the linearised flow. The power method estimates it with one evaluation per step,

.. math:: w_k = J v_k \approx \frac{f(y + \epsilon v_k) - f(y)}{\epsilon}, \qquad v_{k+1} = \frac{w_k}{|w_k|},
          \qquad \rho \approx \sqrt{|w_k|\,|w_{k-1}|}

in units of the flow's scales. The geometric mean of two growths is used because the matrix of an undamped oscillator
maps displacements to speeds and back. The direction is stored between steps, so it converges after a few steps. The
explicit step is the method of order three with an error estimate of order two [Bogacki & Shampine 1989]. LSODA, the
solver of [Schock 2020, sec. 5.2], switches in the same way between Adams and BDF, based on the norm of its Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dovetail.core.methods import BogackiShampine
from dovetail.core.methods.runge_kutta import add_rates

REACH = 1.7  # stability limit of the explicit step on the imaginary axis, its nearest boundary
BACK = 0.5  # fraction of the limit for a change back to explicit steps; avoids a change at every step


class MethodChoice(NamedTuple):
    """Memory between steps: current method, direction of the fastest motion, its growth [1/s]."""

    stiff: jax.Array
    direction: jax.Array  # (n,) in units of the flow's scales
    growth: jax.Array
    steps: jax.Array  # (2,) explicit and implicit attempts so far


def initial_choice(size: int) -> MethodChoice:
    """Return the initial memory: implicit."""
    direction = jnp.ones(size) / jnp.sqrt(size)
    return MethodChoice(jnp.asarray(True), direction, jnp.asarray(jnp.inf), jnp.zeros(2))


def choose_method(
    choice: MethodChoice,
    f: Callable[[jax.Array], jax.Array],
    y: jax.Array,
    rate: jax.Array,
    scale: jax.Array,
    h: jax.Array,
) -> MethodChoice:
    """Return explicit or implicit for a step of h [s] from y, where the rate is f(y)."""
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


def explicit_step(
    f: Callable[[float, jax.Array], Any], y: jax.Array, rate: jax.Array, h: jax.Array
) -> tuple[Any, jax.Array]:
    """Return one explicit step of f(fraction of the step, y) and its error estimate."""
    tableau = BogackiShampine.tableau
    rates = tableau.rates(f, y, h, first=rate)
    new = add_rates(y, h, tableau.b, rates)
    return new, add_rates(jnp.zeros_like(y), h, tableau.error, [*rates, f(1.0, new)])
