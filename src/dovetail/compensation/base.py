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
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.core import Block


class Compensator(Block):
    """A block from the demand of the numerical substructure to the command of the rig."""

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)  # of the interface

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """This compensator for interface signals of `shape`."""
        sized = super().sampled_at(dt, shape)
        return dataclasses.replace(sized, shape=tuple(shape))

    def full(self, value: ArrayLike) -> jax.Array:
        """A number, or one per actuator, as an array of the interface's shape."""
        return jnp.broadcast_to(jnp.asarray(value, dtype=float), self.shape)

    def history(self, window: int) -> jax.Array:
        """An empty history of the last `window` interface values."""
        return jnp.zeros((window, *self.shape))


def push(history: jax.Array, newest: jax.Array) -> jax.Array:
    """The history with a newest value in front and the oldest dropped."""
    return jnp.concatenate([newest[None], history[:-1]])
