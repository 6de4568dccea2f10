r"""Explicit Runge-Kutta methods: coefficient tables and their common implementation.

.. math:: k_i = f(t + c_i h,\; x + h \sum_{j<i} a_{ij} k_j,\; u), \qquad x_{n+1} = x_n + h \sum_i b_i k_i

The state is any pytree; each leaf of a stage is one weighted sum that the compiler fuses. Each stage is evaluated
at its own time, so a flow may contain a time-dependent excitation. The input `u` is held over the step.
Source: [Hairer, Norsett & Wanner 1993, sec. II.1].
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
    """Coefficients of an explicit method: rows of `a` below the diagonal, weights `b`, nodes `c`.

    `error` contains the weights of an error estimate, with one more if it uses the slope at the end of the step.
    """

    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    order: int
    error: tuple[float, ...] = ()
    error_order: int = 0  # of the estimate in the step

    @property
    def stages(self) -> int:
        """Number of evaluations of the flow per step."""
        return len(self.b)

    def rates(self, f: Callable[[float, Any], Any], x: State, h: Time, first: Any = None) -> list[Any]:
        """Return the slopes f(fraction of the step, state) at the stages of a step of h [s] from x.

        The function works with JAX and NumPy. `first` is the slope at x, if already known.
        """
        slopes = [] if first is None else [first]
        for row, c in list(zip(self.a, self.c, strict=True))[len(slopes) :]:
            slopes.append(f(c, add_rates(x, h, row, slopes)))
        return slopes

    def step(self, f: Callable[[float, Any], Any], x: State, h: Time, first: Any = None) -> State:
        """Return the state after a step of h [s] from x, for an equation that is not a flow."""
        return add_rates(x, h, self.b, self.rates(f, x, h, first))

    def stability_polynomial(self) -> np.ndarray:
        """Return the coefficients of R(z), lowest power first: for x' = lambda x a step gives R(h lambda) x."""
        a = np.zeros((self.stages, self.stages))
        for i, row in enumerate(self.a):
            a[i, : len(row)] = row
        powers = [np.ones(self.stages)]
        for _ in range(self.stages - 1):
            powers.append(a @ powers[-1])
        return np.array([1.0, *(float(np.dot(self.b, p)) for p in powers)])


class RungeKutta(Method):
    """Base class of the explicit Runge-Kutta methods; a subclass defines `tableau`."""

    tableau: ClassVar[Tableau]

    @property
    def order(self) -> int:
        """Order of convergence."""
        return self.tableau.order

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        if flow.large:
            return step_in_loop(self.tableau, flow, t, dt, x, u), memory

        def rate(c: float, at: State) -> State:
            return flow.derivative(t + c * dt if c else t, at, u)

        return self.tableau.step(rate, x, dt), memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor |R(z)| of a step for z = h lambda."""
        return np.asarray(np.abs(np.polynomial.polynomial.polyval(z, self.tableau.stability_polynomial())))


def step_in_loop(tableau: Tableau, flow: Flow, t: Time, dt: Time, x: State, u: Input) -> State:
    """Return the state after a step, with the flow compiled once instead of once per stage.

    For a small flow unrolled stages run faster. A flow of hundreds of operations takes long to compile once per
    stage and does not run faster.
    """
    flat, rates, unravel = _rates_in_loop(tableau, tableau.stages, flow, t, dt, x, u)
    return unravel(flat + dt * (jnp.asarray(tableau.b) @ rates))


def step_with_error(
    tableau: Tableau, flow: Flow, t: Time, dt: Time, x: State, u: Input
) -> tuple[State, jax.Array, jax.Array]:
    """Return the state after a step, and flat the estimate of its error and the larger magnitude of both states."""
    flat, rates, unravel = _rates_in_loop(tableau, len(tableau.error), flow, t, dt, x, u)
    end = flat + dt * (jnp.asarray(tableau.b) @ rates[: tableau.stages])
    return unravel(end), dt * (jnp.asarray(tableau.error) @ rates), jnp.maximum(jnp.abs(flat), jnp.abs(end))


def _rates_in_loop(
    tableau: Tableau, size: int, flow: Flow, t: Time, dt: Time, x: State, u: Input
) -> tuple[jax.Array, jax.Array, Callable[[jax.Array], State]]:
    """Return the flat state, its slopes (size, n) at the stages and at the end of the step, and the inverse of flat."""
    flat, unravel = ravel_pytree(x)
    rows = np.zeros((size, size))
    for i, row in enumerate((*tableau.a, tableau.b)[:size]):
        rows[i, : len(row)] = row
    a, c = jnp.asarray(rows), jnp.asarray((*tableau.c, 1.0)[:size])

    def stage(i: jax.Array, rates: jax.Array) -> jax.Array:
        at = unravel(flat + dt * (a[i] @ rates))
        return rates.at[i].set(ravel_pytree(flow.derivative(t + c[i] * dt, at, u))[0])

    return flat, jax.lax.fori_loop(0, size, stage, jnp.zeros((size, flat.size))), unravel


def add_rates(x: State, dt: Time, weights: tuple[float, ...], rates: list[State]) -> State:
    """Return x + dt * (sum of weights * rates); zero weights are skipped."""
    used = [(w, rate) for w, rate in zip(weights, rates, strict=False) if w]
    if not used:
        return x

    def leaf(x: jax.Array, *rates: jax.Array) -> Any:
        total = used[0][0] * rates[0]
        for (w, _), rate in zip(used[1:], rates[1:], strict=True):
            total = total + w * rate
        return x + dt * total

    return jax.tree.map(leaf, x, *(rate for _, rate in used))
