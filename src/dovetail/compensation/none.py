"""No compensation: the command is the demand."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator
from dovetail.core import kind
from dovetail.core.block import Input, Output, State, Time


@kind("none")
class NoCompensation(Compensator):
    """No compensation: the command is the displacement of the numerical substructure.

    Baseline for other compensators, and sufficient if the rig delay is much smaller than the critical delay.
    """

    filters: ClassVar[bool] = True

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return x, {"command": u["displacement"]}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        return jnp.ones_like(jnp.asarray(omega), dtype=complex)
