"""Implicit trapezoidal rule: second order; neither adds nor removes energy of an oscillation."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.kinds import kind
from dovetail.core.methods.newton import implicit_stage
from dovetail.core.parameter import check, count, parameter


@kind("trapezoidal")
class Trapezoidal(Method):
    r"""Implicit trapezoidal rule: order 2, A-stable.

    .. math:: x_{n+1} = x_n + \tfrac h2 [f(t_n, x_n, u) + f(t_{n+1}, x_{n+1}, u)]

    The published docking simulations use the rule as a reference for their explicit methods. Motion much faster
    than the step is not damped but changes sign from step to step; use `BDF2` if this matters.
    A step that does not converge gives NaN. Source: [Hairer & Wanner 1996, sec. IV.3].
    """

    tolerance: float = parameter("1", "tolerance of the Newton iteration", default=1e-10, above=0.0)
    iterations: int = count("maximum number of Newton iterations per step", default=30, at_least=1)
    order: ClassVar[int] = 2

    def __check_init__(self) -> None:
        check(self)

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        rate = flow.derivative(t, x, u)
        base = jax.tree.map(lambda x, r: x + dt / 2 * r, x, rate)
        guess = jax.tree.map(lambda x, r: x + dt * r, x, rate)
        new = implicit_stage(
            flow, t + dt, dt / 2, base, guess, u, tolerance=self.tolerance, iterations=self.iterations
        )
        return new, memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda."""
        return np.asarray(np.abs(2 + z) / np.abs(2 - z))
