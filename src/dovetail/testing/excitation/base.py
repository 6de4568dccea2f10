"""The excitation of a test: a function of time, with its rate by automatic differentiation."""

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
    """A function of time: `excitation(t)` is its value, `excitation.rate(t)` its derivative.

    The value has the natural shape of the parameters (a scalar, or one value per axis) until `sampled_at`
    gives it the shape of the interface; one value then serves every axis. An author writes `value`.
    """

    shape: tuple[int, ...] | None = eqx.field(static=True, default=None, kw_only=True)

    @abstractmethod
    def value(self, t: Time) -> jax.Array:
        """The value at t [s], in its natural shape."""

    def __call__(self, t: Time) -> jax.Array:
        """The value at t [s]."""
        value = jnp.asarray(self.value(t), float)
        return value if self.shape is None else jnp.broadcast_to(value, self.shape)

    def rate(self, t: Time) -> jax.Array:
        """The derivative with respect to time at t [s]; where it jumps, one of its sides."""
        t = jnp.asarray(t, float)
        return jax.jvp(self, (t,), (jnp.ones_like(t),))[1]

    @property
    def ends(self) -> float:
        """Time [s] up to which it is defined; a test that lasts longer is refused."""
        return math.inf

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        shape = tuple(shape)
        sized = dataclasses.replace(super().sampled_at(dt, shape), shape=None)
        natural = jax.eval_shape(sized, jax.ShapeDtypeStruct((), float)).shape
        try:
            fits = np.broadcast_shapes(natural, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise ConnectionFault(
                f"{type(self).__name__}: its value has shape {natural} and the interface {shape}; "
                f"give one value or one per axis, or PerAxis with one excitation for each"
            )
        return dataclasses.replace(sized, shape=shape)
