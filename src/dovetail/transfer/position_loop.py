r"""A drive under a sampled position controller, with everything that limits it.

Each step: the demand is offset and clipped to the stroke, prefiltered, compared with the last reading of the
position sensor; the controller's drive is clipped to its range, held by the converter over the step, and
moves the plant. Unlike `InnerLoop` it is sampled at the step it is given, saturates, and may have any part in
any place, so a loop that is stable in continuous time need not be here.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Series, Transfer
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.two_degree_controller import TwoDegreesOfFreedom


@kind("position-loop")
class PositionLoop(Transfer):
    """Prefilter, controller, plant and position sensor; limits in the order of the published testbed."""

    controller: Transfer  # error [m] to drive
    plant: Transfer  # drive to displacement [m]
    prefilter: Transfer = Series(())
    sensor: Transfer = Series(())
    offset: jax.Array = parameter("m", "added to the demand, taken off the motion", default=0.0)
    lowest: jax.Array = parameter("m", "least position that is demanded", default=-jnp.inf)
    highest: jax.Array = parameter("m", "largest position that is demanded", default=jnp.inf)
    drive_lowest: jax.Array = parameter("1", "least drive", default=-jnp.inf)
    drive_highest: jax.Array = parameter("1", "largest drive", default=jnp.inf)

    def init(self) -> State:
        parts = {name: getattr(self, name).init() for name in _PARTS}
        return parts | {"reading": jnp.zeros(self.shape)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        new = {}
        demand = jnp.clip(u + self.offset, self.lowest, self.highest)
        new["prefilter"], demand = self.prefilter.step(t, dt, x["prefilter"], demand)
        new["controller"], drive = self.controller.step(t, dt, x["controller"], demand - x["reading"])
        drive = jnp.clip(drive, self.drive_lowest, self.drive_highest)
        new["plant"], position = self.plant.step(t, dt, x["plant"], drive)
        new["sensor"], new["reading"] = self.sensor.step(t, dt, x["sensor"], position)
        return new, position - self.offset

    def linear(self) -> LinearTransfer:
        """In continuous time, limits and sampling left out; the sensor as if it were part of the plant."""
        loop = TwoDegreesOfFreedom(
            self.plant.linear() * self.sensor.linear(), self.controller.linear(), self.prefilter.linear()
        )
        answer = loop.response
        return LinearTransfer(
            answer.numerator, answer.denominator, 0.0, ("limits and sampling of the loop left out",)
        )


_PARTS = ("prefilter", "controller", "plant", "sensor")
