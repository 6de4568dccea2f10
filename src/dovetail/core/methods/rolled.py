"""Explicit Runge-Kutta methods with their stages in a loop, for large flows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.methods.runge_kutta import RungeKutta


class Rolled(Method):
    """The same numbers as `method`, with the flow compiled once instead of once for each stage.

    Stages side by side run faster where the flow is small; a flow of hundreds of operations takes minutes to
    compile twelve times over.
    """

    method: RungeKutta

    @property
    def order(self) -> int:
        """Order of convergence."""
        return self.method.order

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: tuple) -> tuple[State, tuple]:
        tableau = self.method.tableau
        flat, unravel = ravel_pytree(x)
        rows = np.zeros((tableau.stages, tableau.stages))
        for i, row in enumerate(tableau.a):
            rows[i, : len(row)] = row
        a, b, c = jnp.asarray(rows), jnp.asarray(tableau.b), jnp.asarray(tableau.c)

        def stage(i, rates):
            at = unravel(flat + dt * (a[i] @ rates))
            return rates.at[i].set(ravel_pytree(flow.derivative(t + c[i] * dt, at, u))[0])

        rates = jax.lax.fori_loop(0, tableau.stages, stage, jnp.zeros((tableau.stages, flat.size)))
        return unravel(flat + dt * (b @ rates)), memory

    def amplification(self, z: np.ndarray) -> np.ndarray:
        """Growth of a step for z = h lambda."""
        return self.method.amplification(z)


def rolled(method: Method) -> Method:
    """The method with its stages in a loop, where it has stages."""
    return Rolled(method) if isinstance(method, RungeKutta) else method
