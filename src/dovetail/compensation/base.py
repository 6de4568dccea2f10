"""What every compensator is: the numerical substructure's motion in, a command to the rig out.

At the tick that ends at t the input is a dictionary with the numerical substructure's `displacement`,
`velocity` and `acceleration` at t, and with `measured_displacement` and `measured_force` of the last
measurement. That one was taken at t - dt: the command now being computed has not moved the rig yet. A
compensator that compares demand with response must therefore compare the response with the demand of the
sample before. The output is a dictionary with `command` and whatever else is worth recording.

A signal has the shape of the interface, `()` for one actuator or `(n,)` for n; parameters may be single
numbers or one per actuator.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.core import Block
from dovetail.core.block import State
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.parameter import declared


class Compensator(Block):
    """A block from the demand of the numerical substructure to the command of the rig."""

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)  # of the interface

    filters: ClassVar[bool] = False  # True where only the displacement is used: may follow in a `Chain`
    shared: ClassVar[tuple[str, ...]] = ()  # parameters that are lists in themselves, not one per actuator

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """This compensator for interface signals of `shape`."""
        shape = tuple(shape)
        for name in declared(type(self)):
            value = getattr(self, name)
            if (
                name not in self.shared
                and isinstance(value, jax.Array)
                and not _broadcasts(np.shape(value), shape)
            ):
                raise ParameterError(
                    f"{type(self).__name__}.{name}: has shape {np.shape(value)} and the interface {shape}; "
                    "give one value or one per actuator"
                )
        return dataclasses.replace(super().sampled_at(dt, shape), shape=shape)

    def running(self, x: State) -> State:
        """The state `x` with start-up behind it: where an analysis at rest is to be made."""
        return x

    def frozen(self) -> Compensator:
        """What it is while it does not learn: itself, or the fixed compensator that it starts as.

        A learnt value is an integral, a pole on the edge of stability that says nothing about the test; an
        analysis at rest takes the frozen compensator in the `running` state.
        """
        return self

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        """Complex ratio of command to demand for a sine of `omega` [rad/s] sampled every `dt` [s].

        Adaptive compensators answer for the values they start with.
        """
        raise AnalysisError(
            f"{type(self).__name__} is not a linear filter of the demand and has no frequency response; "
            "simulate it instead"
        )

    def full(self, value: ArrayLike) -> jax.Array:
        """A number, or one per actuator, as an array of the interface's shape."""
        return jnp.broadcast_to(jnp.asarray(value, dtype=float), self.shape)

    def history(self, window: int) -> jax.Array:
        """An empty history of the last `window` interface values."""
        return jnp.zeros((window, *self.shape))


def _broadcasts(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(given, shape) == shape
    except ValueError:
        return False


def push(history: jax.Array, newest: jax.Array) -> jax.Array:
    """The history with a newest value in front and the oldest dropped."""
    return jnp.concatenate([newest[None], history[:-1]])
