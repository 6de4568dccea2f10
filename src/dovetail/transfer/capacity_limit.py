"""Force-speed capacity of an actuator."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Block, Parameter, kind, parameter
from dovetail.core.block import Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete


@kind("capacity-limit")
class CapacityLimit(Block):
    """Actuator whose speed is limited by the manufacturer's force-speed curve.

    `speeds` and `forces` are the corners of the curve, from full force at rest to top speed: speeds increase, forces
    decrease. Under a force the speed is limited in both directions (the curve of a test actuator does not distinguish
    driving from braking). Above its largest force the actuator does not move.

    Input {"command" [m], "force" [N] the actuator must overcome}; output the displacement [m]. `dovetail.fidelity`
    computes the used fraction of the capacity.
    """

    speeds: Parameter = parameter(
        "m/s", "speeds at the corners of the curve, increasing from 0", at_least=0.0
    )
    forces: Parameter = parameter("N", "largest force at each speed, decreasing", at_least=0.0)
    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)

    def __check_init__(self) -> None:
        if not all_concrete(self.speeds, self.forces):
            return
        v, f = np.asarray(self.speeds), np.asarray(self.forces)
        if v.ndim != 1 or v.shape != f.shape or len(v) < 2:
            raise ParameterError(
                f"CapacityLimit: got {v.shape} speeds and {f.shape} forces; expected two or more of each"
            )
        if v[0] != 0 or np.any(np.diff(v) < 0) or np.any(np.diff(f) > 0):
            raise ParameterError(
                f"CapacityLimit: got speeds {v.tolist()} m/s and forces {f.tolist()} N; "
                f"expected speeds that start at 0 and increase, and decreasing forces"
            )

    def speed_at(self, force: jax.Array) -> jax.Array:
        """Largest speed [m/s] under a force [N] of either sign."""
        magnitude = jnp.abs(force)
        speed = jnp.interp(magnitude, self.forces[::-1], self.speeds[::-1])
        return jnp.where(magnitude > self.forces[0], 0.0, speed)

    def init(self) -> State:
        return jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: dict[str, jax.Array]) -> tuple[State, Output]:
        travel = self.speed_at(u["force"]) * dt
        y = jnp.clip(u["command"], x - travel, x + travel)
        return y, y
