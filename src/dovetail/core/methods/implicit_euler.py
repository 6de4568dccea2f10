"""Implicit Euler method: first order; damps motion that is too fast for the step."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.kinds import kind
from dovetail.core.methods.newton import implicit_stage
from dovetail.core.parameter import check, count, parameter


@kind("implicit-euler")
class ImplicitEuler(Method):
    r"""Implicit Euler method: order 1, L-stable.

    .. math:: x_{n+1} = x_n + h f(t_{n+1}, x_{n+1}, u)

    `newton` solves the equation; a step that does not converge gives NaN. The method also damps slow oscillations
    (damping ratio h omega / 2); `BDF2` damps them much less.
    Source: [Hairer & Wanner 1996, sec. IV.3].
    """

    tolerance: float = parameter("1", "tolerance of the Newton iteration", default=1e-10, above=0.0)
    iterations: int = count("maximum number of Newton iterations per step", default=30, at_least=1)
    order: ClassVar[int] = 1

    def __check_init__(self) -> None:
        check(self)

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        new = implicit_stage(flow, t + dt, dt, x, x, u, tolerance=self.tolerance, iterations=self.iterations)
        return new, memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda."""
        return np.asarray(1 / np.abs(1 - z))
