"""Second-order backward differentiation formula, for stiff parts in real-time loops."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.kinds import kind
from dovetail.core.methods.newton import implicit_stage
from dovetail.core.parameter import check, choice, count, parameter


@kind("bdf2")
class BDF2(Method):
    r"""Second-order backward differentiation formula: L-stable, one Newton solve per step.

    .. math::
        x_{n+1} = \frac{(1+w)^2}{1+2w} x_n - \frac{w^2}{1+2w} x_{n-1}
            + \frac{1+w}{1+2w} h f(t_{n+1}, x_{n+1}, u),
        \qquad w = h / h_{n-1}

    The method stores the state before the last step. Equal steps (w = 1) give the coefficients 4/3, -1/3, 2/3.
    Before the first step :math:`h_{n-1} = \infty`, w = 0, and the formula is implicit Euler. That single step adds
    an error of order h^2 once, so the order remains 2. A step of zero length changes nothing. Steps may change
    between samples by a factor of less than :math:`1+\sqrt 2`, the bound of zero-stability. A held input that
    jumps from sample to sample causes a kink in the rate. Across a kink a multistep formula is of first order only.

    The Jacobian is computed in every iteration (`newton`), or once per step and then corrected (`secant`). The
    second option saves most of its cost for large flows. A step that does not converge gives NaN.
    Source: [Hairer, Norsett & Wanner 1993, sec. III.5].
    """

    tolerance: float = parameter("1", "tolerance of the Newton iteration", default=1e-10, above=0.0)
    iterations: int = count("maximum number of Newton iterations per step", default=30, at_least=1)
    iteration: str = choice("newton", "secant", about="iteration that solves the step", default="newton")
    order: ClassVar[int] = 2

    def __check_init__(self) -> None:
        check(self)

    def init(self, flow: Flow, x: State) -> tuple[State, jax.Array]:
        return x, jnp.asarray(jnp.inf)  # previous state, previous step [s]

    def step(
        self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: tuple[State, jax.Array]
    ) -> tuple[State, tuple[State, jax.Array]]:
        before, dt_before = memory
        w = dt / dt_before
        a, b = w**2 / (1 + 2 * w), (1 + w) / (1 + 2 * w)
        base = jax.tree.map(lambda x, p: x + a * (x - p), x, before)
        guess = jax.tree.map(lambda x, p: x + w * (x - p), x, before)
        new = implicit_stage(
            flow,
            t + dt,
            b * dt,
            base,
            guess,
            u,
            tolerance=self.tolerance,
            iterations=self.iterations,
            secant=self.iteration == "secant",
        )
        moved = jnp.asarray(dt) > 0
        before = jax.tree.map(lambda x, p: jnp.where(moved, x, p), x, before)
        return new, (before, jnp.where(moved, dt, dt_before))

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda: the larger root of (3 - 2z) r^2 - 4 r + 1."""
        z = np.asarray(z, dtype=complex)
        root = np.sqrt(1 + 2 * z)
        return np.asarray(np.maximum(np.abs(2 + root), np.abs(2 - root)) / np.abs(3 - 2 * z))
