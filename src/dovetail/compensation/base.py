"""Base class of compensators: from the motion of the numerical substructure to the command of the rig.

At the tick that ends at t the input is a dictionary with `displacement`, `velocity` and `acceleration` of the
numerical substructure at t, and with `measured_displacement` and `measured_force` of the last measurement. The
measurement was taken at t - dt, before the new command moves the rig. A compensator that compares demand and response
must therefore compare the response with the demand of the previous sample. The output is a dictionary with `command`
and any other signals to record.

Signals have the shape of the interface, `()` for one actuator or `(n,)` for n actuators. Parameters are scalars or one
value per actuator.
"""

from __future__ import annotations

from typing import ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.core import Block
from dovetail.core.block import State
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.parameter import declared_parameters


class Compensator(Block):
    """Block from the demand of the numerical substructure to the command of the rig."""

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)  # of the interface

    filters: ClassVar[bool] = (
        False  # True if it uses the displacement only, so it can be a later part of a `Cascade`
    )
    shared: ClassVar[
        tuple[str, ...]
    ] = ()  # parameters that are lists for all actuators, not one value per actuator

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """Return this compensator for interface signals of `shape`."""
        shape = tuple(shape)
        for name in declared_parameters(type(self)):
            value = getattr(self, name)
            if (
                name not in self.shared
                and isinstance(value, jax.Array)
                and not _broadcasts(np.shape(value), shape)
            ):
                raise ParameterError(
                    f"{type(self).__name__}.{name}: got shape {np.shape(value)} for the interface {shape}; "
                    "expected one value, or one per actuator"
                )
        return super().with_sample_time(dt, shape)

    def state_after_startup(self, x: State) -> State:
        """Return the state `x` as it is after the start-up phase, for an analysis at rest."""
        return x

    def without_adaptation(self) -> Compensator:
        """Return the compensator with fixed initial parameters; itself if it is not adaptive.

        Adaptation integrates, which adds poles on the stability boundary that say nothing about the test. An analysis
        at rest therefore uses the compensator without adaptation, in the state after start-up.
        """
        return self

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        """Return the complex ratio of command to demand for a sine of `omega` [rad/s] sampled every `dt` [s].

        For an adaptive compensator this is the response with its initial parameters.
        """
        raise AnalysisError(
            f"{type(self).__name__} is not a linear filter of the demand and has no frequency response; "
            "simulate it instead"
        )

    def broadcast(self, value: ArrayLike) -> jax.Array:
        """Return a number, or one per actuator, as an array of the interface shape."""
        return jnp.broadcast_to(jnp.asarray(value, dtype=float), self.shape)

    def history(self, window: int) -> jax.Array:
        """Return an empty history of `window` interface values."""
        return jnp.zeros((window, *self.shape))


def _broadcasts(value_shape: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(value_shape, shape) == shape
    except ValueError:
        return False


def push(history: jax.Array, newest: jax.Array) -> jax.Array:
    """Return the history with the newest value in front and without the oldest."""
    return jnp.concatenate([newest[None], history[:-1]])
