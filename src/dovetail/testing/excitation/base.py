"""Base class of excitations: a function of time, with its rate by automatic differentiation."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part
from dovetail.core.block import Time
from dovetail.core.errors import ConnectionFault


class Excitation(Part):
    """Excitation: `excitation(t)` is its value, `excitation.rate(t)` its derivative.

    The value has the shape of the parameters (a scalar, or one value per axis). `with_sample_time` broadcasts it to
    the shape of the interface. Subclasses define `value`.
    """

    shape: tuple[int, ...] | None = eqx.field(static=True, default=None, kw_only=True)

    @abstractmethod
    def value(self, t: Time) -> jax.Array:
        """Return the value at t [s] in the shape of the parameters."""

    def __call__(self, t: Time) -> jax.Array:
        """Return the value at t [s]."""
        value = jnp.asarray(self.value(t), float)
        return value if self.shape is None else jnp.broadcast_to(value, self.shape)

    def rate(self, t: Time) -> jax.Array:
        """Return the time derivative at t [s]; at a jump the derivative of one side."""
        t = jnp.asarray(t, float)
        rate: jax.Array = jax.jvp(self, (t,), (jnp.ones_like(t),))[1]
        return rate

    @property
    def valid_until(self) -> float:
        """Time [s] up to which it is defined; a longer test is an error."""
        return math.inf

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        shape = tuple(shape)
        sized = dataclasses.replace(super().with_sample_time(dt, shape), shape=None)
        natural = jax.eval_shape(sized, jax.ShapeDtypeStruct((), float)).shape
        try:
            fits = np.broadcast_shapes(natural, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise ConnectionFault(
                f"{type(self).__name__}: the value has shape {natural}, the interface has shape {shape}; "
                f"give one value or one per axis, or PerAxis with one excitation for each axis"
            )
        return dataclasses.replace(sized, shape=shape)
