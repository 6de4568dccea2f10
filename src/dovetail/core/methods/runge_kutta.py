r"""Explicit Runge-Kutta methods: a table of coefficients, and one engine for all of them.

.. math:: k_i = f(t + c_i h,\; x + h \sum_{j<i} a_{ij} k_j,\; u), \qquad x_{n+1} = x_n + h \sum_i b_i k_i

The state is any pytree; each leaf of a stage is one weighted sum that the compiler fuses. The stages are
evaluated at their own times, so a flow may contain a time-dependent excitation of its own; the input `u`
is held over the step. Source: [Hairer, Norsett & Wanner 1993, sec. II.1].
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time


@dataclasses.dataclass(frozen=True)
class Tableau:
    """Coefficients of an explicit method: rows of `a` below the diagonal, weights `b`, nodes `c`."""

    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    order: int

    @property
    def stages(self) -> int:
        """Evaluations of the flow in a step."""
        return len(self.b)

    def rates(self, f: Callable[[float, Any], Any], x: State, h: Time, first: Any = None) -> list[Any]:
        """Slopes f(share of the step, state) at its stages over a step of h [s] from x, with JAX or NumPy.

        `first` is the slope at x where it is known already.
        """
        found = [] if first is None else [first]
        for row, c in list(zip(self.a, self.c, strict=True))[len(found) :]:
            found.append(f(c, add_rates(x, h, row, found)))
        return found

    def step(self, f: Callable[[float, Any], Any], x: State, h: Time, first: Any = None) -> State:
        """The state after that step: for an equation that is no flow."""
        return add_rates(x, h, self.b, self.rates(f, x, h, first))

    def stability_polynomial(self) -> np.ndarray:
        """Coefficients, lowest power first, of R(z): a step takes x to R(h lambda) x where x' = lambda x."""
        a = np.zeros((self.stages, self.stages))
        for i, row in enumerate(self.a):
            a[i, : len(row)] = row
        powers = [np.ones(self.stages)]
        for _ in range(self.stages - 1):
            powers.append(a @ powers[-1])
        return np.array([1.0, *(float(np.dot(self.b, p)) for p in powers)])


class RungeKutta(Method):
    """Base of the explicit Runge-Kutta methods; a method is its `tableau`."""

    tableau: ClassVar[Tableau]

    @property
    def order(self) -> int:
        """Order of convergence."""
        return self.tableau.order

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: tuple) -> tuple[State, tuple]:
        if flow.large:
            return step_in_loop(self.tableau, flow, t, dt, x, u), memory

        def rate(c, at):
            return flow.derivative(t + c * dt if c else t, at, u)

        return self.tableau.step(rate, x, dt), memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Growth |R(z)| of a step for z = h lambda."""
        return np.abs(np.polynomial.polynomial.polyval(z, self.tableau.stability_polynomial()))


def step_in_loop(tableau: Tableau, flow: Flow, t: Time, dt: Time, x: State, u: Input) -> State:
    """The state after a step, with the flow compiled once instead of once for each stage.

    Stages side by side run faster where the flow is small; a flow of hundreds of operations takes long to
    compile as many times over, and gains nothing by it.
    """
    flat, unravel = ravel_pytree(x)
    rows = np.zeros((tableau.stages, tableau.stages))
    for i, row in enumerate(tableau.a):
        rows[i, : len(row)] = row
    a, b, c = jnp.asarray(rows), jnp.asarray(tableau.b), jnp.asarray(tableau.c)

    def stage(i, rates):
        at = unravel(flat + dt * (a[i] @ rates))
        return rates.at[i].set(ravel_pytree(flow.derivative(t + c[i] * dt, at, u))[0])

    rates = jax.lax.fori_loop(0, tableau.stages, stage, jnp.zeros((tableau.stages, flat.size)))
    return unravel(flat + dt * (b @ rates))


def add_rates(x: State, dt: Time, weights: tuple[float, ...], rates: list[State]) -> State:
    """x + dt * (sum of weights * rates), leaving out weights that are zero."""
    used = [(w, rate) for w, rate in zip(weights, rates, strict=False) if w]
    if not used:
        return x

    def leaf(x, *rates):
        total = used[0][0] * rates[0]
        for (w, _), rate in zip(used[1:], rates[1:], strict=True):
            total = total + w * rate
        return x + dt * total

    return jax.tree.map(leaf, x, *(rate for _, rate in used))
