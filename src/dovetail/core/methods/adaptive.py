"""Explicit Runge-Kutta steps with error control that end at events."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.events import EventSteps, error_ratio
from dovetail.core.kinds import kind
from dovetail.core.methods.dormand_prince5 import DormandPrince5
from dovetail.core.methods.runge_kutta import RungeKutta, step_with_error
from dovetail.core.parameter import Parameter, parameter


@kind("adaptive-runge-kutta")
class AdaptiveRungeKutta(EventSteps):
    """Steps of an explicit method with error control, which end at the events of the flow.

    For accurate reference solutions with contact, and for flows without events whose fastest motion is not known.
    `method` needs an error estimate: `DormandPrince8`, `DormandPrince5` or `BogackiShampine`.
    """

    rtol: Parameter = parameter("1", "relative tolerance", default=1e-9, above=0.0)
    atol: Parameter = parameter(
        "1", "absolute tolerance, in the unit of each state", default=1e-12, above=0.0
    )
    event_tolerance: Parameter = parameter(
        "1", "size of an event function, in its unit, to which an event is located", default=1e-12, above=0.0
    )
    min_step: Parameter = parameter("s", "step at which every result is accepted", default=1e-12, above=0.0)
    max_step: Parameter = parameter("s", "largest step", default=np.inf, above=0.0)
    restart_step: Parameter = parameter("s", "largest step after an event", default=1e-4, above=0.0)
    method: RungeKutta = DormandPrince5()

    def __check_init__(self) -> None:
        super().__check_init__()
        if not self.method.tableau.error:
            raise ParameterError(
                f"AdaptiveRungeKutta.method: {type(self.method).__name__} has no error estimate; "
                "expected DormandPrince8, DormandPrince5 or BogackiShampine"
            )

    @property
    def error_order(self) -> int:
        return self.method.tableau.error_order

    def attempt(self, flow: Flow, t: Time, h: Time, x: State, u: Input, inner: Any) -> tuple[State, Any, Any]:
        new, error, size = step_with_error(self.method.tableau, flow, t, h, x, u)
        return new, error_ratio(error, self.atol + self.rtol * size), inner

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda; zero with error control, which shortens the step."""
        return self.method.amplification(z) if self.control == "fixed" else np.zeros(np.shape(z))
