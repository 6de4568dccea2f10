"""Many ropes of links behind one aircraft, integrated as one flow: a parameter sweep.

Like `TowedRope` for many ropes, without the record of work by source. It models gravity, a steady stream, the
aircraft's wake at the tip, and a tip device whose force follows the local wind without lag. The variants are the lanes
of the link-chain batch.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.air.latching_device import PointDevice, TipDevice
from dovetail.air.wind import FreeStream, StillAir, WindField
from dovetail.core import Flow, Input, Output, Parameter, State, Time, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import LinkChainBatch


class TowedLinkBatch(Flow):
    """Ropes that initially trail straight behind an aircraft, each with the same kind of device at its tip."""

    ropes: LinkChainBatch
    device: TipDevice = PointDevice()
    wake: WindField = StillAir()
    airspeed: Parameter = parameter("m/s", "true airspeed", default=170.0, at_least=0.0)
    density: Parameter = parameter("kg/m^3", "density of the air", default=0.7, at_least=0.0)
    gravity: Parameter = parameter("m/s^2", "acceleration of gravity", default=9.81, at_least=0.0)

    def __check_init__(self) -> None:
        if self.device.init():
            raise ParameterError(
                f"TowedLinkBatch: {type(self.device).__name__} has internal states; use it in a TowedRope"
            )

    def init(self) -> dict[str, jax.Array]:
        return self.ropes.straight([-1.0, 0.0, 0.0])

    def loads(self, t: Any, x: Any) -> tuple[jax.Array, jax.Array]:
        """Gravity (3,) [m/s^2] and the aerodynamic force on each tip (3, k) [N]."""
        tip, velocity = x["position"][-1], x["velocity"][-1]
        stream = jnp.stack([-self.airspeed, 0.0 * self.airspeed, 0.0 * self.airspeed])[:, None]
        wind = stream + self.wake.velocity(t, tip, FreeStream(self.airspeed, self.density)) - velocity

        def force(wind):
            return self.device.force({}, wind, self.density, self.airspeed, jnp.zeros(2))

        field = self.gravity * jnp.array([0.0, 0.0, -1.0])
        return field, jax.vmap(force, in_axes=-1, out_axes=-1)(wind)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.ropes.derivative(t, x, self.loads(t, x))

    def output(self, t: Time, x: State, u: Input) -> Output:
        return self.ropes.output(t, x, self.loads(t, x))
