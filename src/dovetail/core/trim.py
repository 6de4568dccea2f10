r"""Steady state of a flow: the state at which nothing changes.

.. math:: f(t, x^*, u) = 0

Newton's method first, as it is exact for linear flows; where it fails (a poor guess, a singular Jacobian)
Powell's dogleg and then Levenberg-Marquardt, which also settle where a position is free and find the
steady state next to the guess.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx
from jax.flatten_util import ravel_pytree

from dovetail.core.block import Flow, Input, Output, State, Time
from dovetail.core.errors import ConvergenceError


class Trim(eqx.Module):
    """A steady state, what the flow shows in it, and what is left of the derivative."""

    state: State
    output: Output
    residual: jax.Array  # largest rate of change left, in the unit of each state per second


def trim(
    flow: Flow,
    u: Input = None,
    *,
    t: Time = 0.0,
    guess: State = None,
    tolerance: float = 1e-8,
    max_steps: int = 200,
) -> Trim:
    """The steady state of a flow near a guess (its own `init()` by default), under a constant input.

    A state counts as steady if its largest rate is below `tolerance` * (1 + the largest rate at the guess).
    Raises `ConvergenceError` if none is found.

    Differentiable by the implicit function theorem; under a JAX transformation only Newton's method is
    tried, and NaN says that it failed.
    """
    start, unravel = ravel_pytree(flow.init() if guess is None else guess)

    def rate(x, arguments):
        flow, t, u = arguments
        return ravel_pytree(flow.derivative(t, unravel(x), u))[0]

    arguments = (flow, t, u)
    first = rate(start, arguments)
    bound = tolerance * (1 + jnp.max(jnp.abs(first), initial=0.0))
    tight: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
    solvers: list[Any] = [optx.Newton(**tight), optx.Dogleg(**tight), optx.LevenbergMarquardt(**tight)]

    left = []
    for solver in solvers:
        found = optx.root_find(rate, solver, start, arguments, max_steps=max_steps, throw=False).value
        residual = jnp.max(jnp.abs(rate(found, arguments)), initial=0.0)
        steady = (residual <= bound) & jnp.all(jnp.isfinite(found))  # False for NaN
        if isinstance(steady, jax.core.Tracer):
            found = jnp.where(steady, found, jnp.nan)
        elif not steady:
            left.append(f"{type(solver).__name__} {float(residual):.3g}")
            continue
        state = unravel(found)
        return Trim(state, flow.output(t, state, u), residual)

    raise ConvergenceError(
        f"{type(flow).__name__}: no steady state found; largest rate left: {', '.join(left)}; it must be "
        f"below {float(bound):.3g}. Do: start from a better guess, check that a steady state exists under "
        "this input, or let it settle with `adaptive.solve` and start from there."
    )
