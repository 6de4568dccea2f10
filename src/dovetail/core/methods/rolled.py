"""Explicit Runge-Kutta methods with the stages in a loop, for large flows."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.methods.runge_kutta import RungeKutta, step_in_loop


class StageLoop(Method):
    """Explicit Runge-Kutta method with its stages in a loop.

    The flow is compiled once instead of once per stage; the results are those of `method`. Use this class for large
    flows that do not set `Flow.large`.
    """

    method: RungeKutta

    @property
    def order(self) -> int:
        """Order of convergence."""
        return self.method.order

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        return step_in_loop(self.method.tableau, flow, t, dt, x, u), memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda."""
        return self.method.amplification(z)


def with_stage_loop(method: Method) -> Method:
    """Return a Runge-Kutta method with its stages in a loop, and any other method unchanged."""
    return StageLoop(method) if isinstance(method, RungeKutta) else method
