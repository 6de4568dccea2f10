r"""Drive with a sampled position controller and its limits.

At each step the demand is offset, clipped to the stroke, prefiltered, and compared with the last measurement of the
position sensor. The controller's drive is clipped to its range, held over the step, and moves the plant. Unlike
`InnerLoop` it is sampled at the given step, saturates, and accepts any transfer block as controller, plant, prefilter
or sensor. A loop that is stable in continuous time can therefore be unstable here.
"""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Series, Transfer
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.two_degree_controller import TwoDegreesOfFreedom


@kind("position-loop")
class PositionLoop(Transfer):
    """Sampled position loop: prefilter, controller, plant and sensor; limits in the order of the published testbed."""

    controller: Transfer  # error [m] to drive
    plant: Transfer  # drive to displacement [m]
    prefilter: Transfer = Series(())
    sensor: Transfer = Series(())
    offset: Parameter = parameter("m", "added to the demand, subtracted from the motion", default=0.0)
    min_position: Parameter = parameter("m", "smallest demanded position", default=-jnp.inf)
    max_position: Parameter = parameter("m", "largest demanded position", default=jnp.inf)
    min_drive: Parameter = parameter("1", "smallest drive", default=-jnp.inf)
    max_drive: Parameter = parameter("1", "largest drive", default=jnp.inf)

    def init(self) -> State:
        parts = {name: getattr(self, name).init() for name in _PARTS}
        return parts | {"reading": jnp.zeros(self.shape)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        new = {}
        demand = jnp.clip(u + self.offset, self.min_position, self.max_position)
        new["prefilter"], demand = self.prefilter.step(t, dt, x["prefilter"], demand)
        new["controller"], drive = self.controller.step(t, dt, x["controller"], demand - x["reading"])
        drive = jnp.clip(drive, self.min_drive, self.max_drive)
        new["plant"], position = self.plant.step(t, dt, x["plant"], drive)
        new["sensor"], new["reading"] = self.sensor.step(t, dt, x["sensor"], position)
        return new, position - self.offset

    def linear(self) -> LinearTransfer:
        """Continuous-time model without limits and sampling; the sensor is included in the plant."""
        loop = TwoDegreesOfFreedom(
            self.plant.linear() * self.sensor.linear(), self.controller.linear(), self.prefilter.linear()
        )
        response = loop.response
        return LinearTransfer(
            response.numerator, response.denominator, 0.0, ("limits and sampling of the loop neglected",)
        )


_PARTS = ("prefilter", "controller", "plant", "sensor")
