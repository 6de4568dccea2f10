"""Compensators one after the other: each filters the command of the one before."""

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
    """The first part sees the numerical substructure's motion, each later one the command before it.

    For a plant that is a lag and a delay: invert the lag, predict over the delay. Only the first part may
    use velocity, acceleration or measurements, because a later one would mix them with a signal they do not
    belong to.

    Examples
    --------
    >>> from dovetail.compensation import ForwardPrediction, SecondOrderInverse
    >>> both = Cascade((SecondOrderInverse.of(omega=235.4, damping=0.684), ForwardPrediction(3.6e-3)))
    """

    parts: tuple[Compensator, ...] = eqx.field(converter=tuple)

    def __check_init__(self):
        for part in self.parts[1:]:
            if isinstance(part, Compensator) and not part.filters:
                raise ParameterError(
                    f"Cascade: {type(part).__name__} uses more than the displacement and must come first; got "
                    f"{', '.join(type(p).__name__ for p in self.parts)}"
                )

    def init(self) -> State:
        return tuple(part.init() for part in self.parts)

    def running(self, x: State) -> State:
        return tuple(part.running(state) for part, state in zip(self.parts, x, strict=True))

    def frozen(self) -> Compensator:
        return Cascade(tuple(part.frozen() for part in self.parts), shape=self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        states, shown = [], {"command": u["displacement"]}
        for part, state in zip(self.parts, x, strict=True):
            state, out = part.step(t, dt, state, u)
            states.append(state)
            shown = {**shown, **out}
            u = {"displacement": out["command"]}
        return tuple(states), shown

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        product = jnp.ones_like(jnp.asarray(omega), dtype=complex)
        for part in self.parts:
            product = product * part.response(omega, dt)
        return product
