r"""Steady state of a flow: the state with zero rate of change.

.. math:: f(t, x^*, u) = 0

Newton's method is tried first; it is exact for linear flows. If it fails (a poor guess, a singular Jacobian),
Powell's dogleg and then Levenberg-Marquardt follow. These also converge if a position is free, to the steady state
nearest to the guess.
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
    """Steady state, outputs in it, and residual rate of change."""

    state: State
    output: Output
    residual: jax.Array  # largest remaining rate of change, in the unit of each state per second


def trim(
    flow: Flow,
    u: Input = None,
    *,
    t: Time = 0.0,
    guess: State = None,
    tolerance: float = 1e-8,
    max_steps: int = 200,
) -> Trim:
    """Return the steady state of a flow near a guess (default: `flow.init()`) under a constant input.

    A state is steady if its largest rate is below `tolerance` * (1 + the largest rate at the guess).
    Raises `ConvergenceError` if no solver converges.

    Differentiable by the implicit function theorem. Under a JAX transformation only Newton's method is tried, and
    the result is NaN if it fails.
    """
    start, unravel = ravel_pytree(flow.init() if guess is None else guess)

    def rate(x: jax.Array, arguments: tuple[Flow, Time, Input]) -> jax.Array:
        flow, t, u = arguments
        return ravel_pytree(flow.derivative(t, unravel(x), u))[0]

    arguments = (flow, t, u)
    first = rate(start, arguments)
    bound = tolerance * (1 + jnp.max(jnp.abs(first), initial=0.0))
    tight: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
    solvers: list[Any] = [optx.Newton(**tight), optx.Dogleg(**tight), optx.LevenbergMarquardt(**tight)]

    residuals = []
    for solver in solvers:
        root = optx.root_find(rate, solver, start, arguments, max_steps=max_steps, throw=False).value
        residual = jnp.max(jnp.abs(rate(root, arguments)), initial=0.0)
        steady = (residual <= bound) & jnp.all(jnp.isfinite(root))  # False for NaN
        if isinstance(steady, jax.core.Tracer):
            root = jnp.where(steady, root, jnp.nan)
        elif not steady:
            residuals.append(f"{type(solver).__name__} {float(residual):.3g}")
            continue
        state = unravel(root)
        return Trim(state, flow.output(t, state, u), residual)

    raise ConvergenceError(
        f"{type(flow).__name__}: no steady state found; largest remaining rate: {', '.join(residuals)}; it must be "
        f"below {float(bound):.3g}. Start from a better guess, check that a steady state exists under "
        "this input, or simulate until the state settles and start from there."
    )
