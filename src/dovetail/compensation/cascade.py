"""Compensators in series: each filters the command of the previous one."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator
from dovetail.core import kind
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError


@kind("cascade")
class Cascade(Compensator):
    """Compensators in series: the input of the first is the motion, that of a later one the previous command.

    Suits a transfer system with lag and delay: the first part inverts the lag, the second predicts over the delay. Only
    the first part may use velocity, acceleration or measurements, because they belong to the motion and not to the
    commands of earlier parts.

    Examples
    --------
    >>> from dovetail.compensation import ForwardPrediction, SecondOrderInverse
    >>> both = Cascade((SecondOrderInverse.from_omega(omega=235.4, damping=0.684), ForwardPrediction(3.6e-3)))
    """

    parts: tuple[Compensator, ...] = eqx.field(converter=tuple)

    def __check_init__(self) -> None:
        for part in self.parts[1:]:
            if isinstance(part, Compensator) and not part.filters:
                raise ParameterError(
                    f"Cascade: {type(part).__name__} uses more than the displacement, so it must come first; "
                    f"got {', '.join(type(p).__name__ for p in self.parts)}"
                )

    def init(self) -> State:
        return tuple(part.init() for part in self.parts)

    def state_after_startup(self, x: State) -> State:
        return tuple(part.state_after_startup(state) for part, state in zip(self.parts, x, strict=True))

    def without_adaptation(self) -> Compensator:
        return Cascade(tuple(part.without_adaptation() for part in self.parts), shape=self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        states, signals = [], {"command": u["displacement"]}
        for part, state in zip(self.parts, x, strict=True):
            state, out = part.step(t, dt, state, u)
            states.append(state)
            signals = {**signals, **out}
            u = {"displacement": out["command"]}
        return tuple(states), signals

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        product = jnp.ones_like(jnp.asarray(omega), dtype=complex)
        for part in self.parts:
            product = product * part.response(omega, dt)
        return product
