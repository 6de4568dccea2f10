r"""Newton's method with a line search, for the implicit methods.

The solver finds :math:`r(x) = 0` for a vector x, with the Jacobian by forward-mode differentiation. It tries a full
step first and halves it until the residual decreases. A residual that is not finite counts as no decrease, so an
iterate outside the domain of the flow is rejected.

With `secant` the solver computes the Jacobian once, at the guess, and corrects it after each step [Broyden 1965]. If
the residual does not decrease with a corrected Jacobian, the solver computes the Jacobian again.

The root is differentiable by the implicit function theorem (`jax.lax.custom_root`), in forward and in reverse mode,
for any number of iterations. An iteration that does not converge gives NaN, which a supervisor detects; it never
returns an unconverged value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from dovetail.core.block import Flow, Input, State, Time

Residual = Callable[[jax.Array], jax.Array]
_HALVINGS = 10  # smallest step tried: 1/1024 of Newton's


def newton(
    residual: Residual,
    guess: Float[Array, " n"],
    *,
    tolerance: float = 1e-10,
    iterations: int = 30,
    secant: bool = False,
) -> tuple[jax.Array, jax.Array]:
    r"""Return the root of a residual near a guess, and whether the iteration converged.

    The iteration has converged if the last full step is within `tolerance` * (1 + |x|) in every component. The
    convergence is quadratic, so the error is then much smaller.

    Returns
    -------
    root : array of the guess's shape, NaN if the iteration did not converge.
    converged : boolean scalar.
    """
    if guess.size == 0:
        return guess, jnp.asarray(True)

    def solve(residual: Residual, guess: jax.Array) -> tuple[jax.Array, jax.Array]:
        return (_iterate_secant if secant else _iterate)(residual, guess, tolerance, iterations)

    def tangent_solve(linear: Residual, y: jax.Array) -> jax.Array:
        x: jax.Array = jnp.linalg.solve(jax.jacfwd(linear)(y), y)
        return x

    root, converged = jax.lax.custom_root(residual, guess, solve, tangent_solve, has_aux=True)
    converged = converged > 0.5
    return jnp.where(converged, root, jnp.nan), converged


def _iterate(
    residual: Residual, guess: jax.Array, tolerance: float, iterations: int
) -> tuple[jax.Array, jax.Array]:
    """Run the damped Newton iteration; the flag is a float because custom_root differentiates through it."""

    def going(carry: Any) -> Any:
        i, _, _, done, failed = carry
        return (i < iterations) & ~done & ~failed

    def improve(carry: Any) -> Any:
        i, x, r, _, _ = carry
        step = -jnp.linalg.solve(jax.jacfwd(residual)(x), r)
        small = jnp.all(jnp.abs(step) <= tolerance * (1 + jnp.abs(x)))
        x, r, fell = _line_search(residual, x, r, step, small)
        return i + 1, x, r, small & jnp.all(jnp.isfinite(r)), ~fell & ~small

    r = residual(guess)
    start = (jnp.asarray(0), guess, r, jnp.asarray(False), jnp.asarray(False))
    _, x, _, done, _ = jax.lax.while_loop(going, improve, start)
    return x, done.astype(x.dtype)


def _iterate_secant(
    residual: Residual, guess: jax.Array, tolerance: float, iterations: int
) -> tuple[jax.Array, jax.Array]:
    """Run the damped iteration with Broyden's correction of the inverse Jacobian."""

    def inverse_at(x: jax.Array) -> jax.Array:
        inverse: jax.Array = jnp.linalg.inv(jax.jacfwd(residual)(x))
        return inverse

    def going(carry: Any) -> Any:
        i, _, _, _, _, done, failed = carry
        return (i < iterations) & ~done & ~failed

    def improve(carry: Any) -> Any:
        i, x, r, inverse, fresh, _, _ = carry
        step = -inverse @ r
        small = jnp.all(jnp.abs(step) <= tolerance * (1 + jnp.abs(x)))
        x_new, r_new, fell = _line_search(residual, x, r, step, small)
        moved, change = x_new - x, inverse @ (r_new - r)
        size = moved @ change
        safe = jnp.where(size == 0, 1.0, size)
        corrected = inverse + jnp.where(size == 0, 0.0, 1.0) * jnp.outer(
            (moved - change) / safe, moved @ inverse
        )
        good = fell | small
        # no decrease with a corrected Jacobian: stay and compute it again; no decrease with a new one: stop
        x, r = jnp.where(good, x_new, x), jnp.where(good, r_new, r)
        inverse = jax.lax.cond(good, lambda: corrected, lambda: inverse_at(x))
        return i + 1, x, r, inverse, ~good, small & jnp.all(jnp.isfinite(r)), ~good & fresh

    start = (jnp.asarray(0), guess, residual(guess), inverse_at(guess), jnp.asarray(True))
    _, x, _, _, _, done, _ = jax.lax.while_loop(
        going, improve, (*start, jnp.asarray(False), jnp.asarray(False))
    )
    return x, done.astype(x.dtype)


def _line_search(
    residual: Residual, x: jax.Array, r: jax.Array, step: jax.Array, accept: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Take the first of the steps 1, 1/2, 1/4, ... that reduces the residual (the full step if `accept`)."""
    size = jnp.linalg.norm(r)

    def fell(r_new: jax.Array, scale: jax.Array) -> Any:
        return jnp.linalg.norm(r_new) <= (1 - 1e-4 * scale) * size

    def going(carry: Any) -> Any:
        i, scale, _, r_new = carry
        return (i < _HALVINGS) & ~accept & ~fell(r_new, scale)

    def halve(carry: Any) -> Any:
        i, scale, _, _ = carry
        x_new = x + 0.5 * scale * step
        return i + 1, 0.5 * scale, x_new, residual(x_new)

    x_new = x + step
    start = (jnp.asarray(0), jnp.ones((), x.dtype), x_new, residual(x_new))
    _, scale, x_new, r_new = jax.lax.while_loop(going, halve, start)
    return x_new, r_new, fell(r_new, scale)


def implicit_stage(
    flow: Flow,
    t: Time,
    h: Any,
    base: State,
    guess: State,
    u: Input,
    *,
    tolerance: float,
    iterations: int,
    secant: bool = False,
) -> State:
    """Return the state x with x = base + h f(t, x, u); NaN if the iteration does not converge."""
    flat_guess, unravel = ravel_pytree(guess)
    flat_base, _ = ravel_pytree(base)

    def residual(x: jax.Array) -> Any:
        rate, _ = ravel_pytree(flow.derivative(t, unravel(x), u))
        return x - flat_base - h * rate

    root, _ = newton(residual, flat_guess, tolerance=tolerance, iterations=iterations, secant=secant)
    return unravel(root)
