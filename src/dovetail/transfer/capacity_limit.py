"""An actuator's capacity: the speed it has left under a force."""

from __future__ import annotations

import dataclasses
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Block, kind, parameter
from dovetail.core.block import Output, State, Time
from dovetail.core.errors import ParameterError


@kind("capacity-limit")
class CapacityLimit(Block):
    """Follows its demand no faster than the force-speed curve of the maker allows.

    `speeds` and `forces` are the corners of the curve, from full force at rest to top speed: speeds rise,
    forces fall. Under a force the actuator has the speed of the curve, in either direction (the curve of a
    test actuator does not distinguish driving from braking); beyond its largest force it stands still.

    Input {"command" [m], "force" [N] the actuator must overcome}; output the displacement [m]. How much of
    the capacity a test used is measured by `dovetail.fidelity`.
    """

    speeds: jax.Array = parameter("m/s", "corners of the curve, rising from 0", at_least=0.0)
    forces: jax.Array = parameter("N", "largest force at each speed, falling", at_least=0.0)
    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)

    def __check_init__(self):
        v, f = self.speeds, self.forces
        if any(isinstance(a, jax.core.Tracer) or not isinstance(a, jax.Array) for a in (v, f)):
            return
        v, f = np.asarray(v), np.asarray(f)
        if v.ndim != 1 or v.shape != f.shape or len(v) < 2:
            raise ParameterError(
                f"CapacityLimit: {v.shape} speeds and {f.shape} forces; give two of each or more"
            )
        if v[0] != 0 or np.any(np.diff(v) < 0) or np.any(np.diff(f) > 0):
            raise ParameterError(
                f"CapacityLimit: got speeds {v.tolist()} m/s and forces {f.tolist()} N; "
                f"speeds start at 0 and rise, forces fall"
            )

    def speed_at(self, force: jax.Array) -> jax.Array:
        """Largest speed [m/s] under a force [N] of either sign."""
        size = jnp.abs(force)
        speed = jnp.interp(size, self.forces[::-1], self.speeds[::-1])
        return jnp.where(size > self.forces[0], 0.0, speed)

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        return dataclasses.replace(self, shape=tuple(shape))

    def init(self) -> State:
        return jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: dict[str, jax.Array]) -> tuple[State, Output]:
        reach = self.speed_at(u["force"]) * dt
        y = jnp.clip(u["command"], x - reach, x + reach)
        return y, y
