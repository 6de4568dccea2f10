"""Excitation with a separate signal for each axis."""

from __future__ import annotations

import dataclasses
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import kind
from dovetail.core.block import Time
from dovetail.core.errors import ConnectionFault
from dovetail.testing.excitation.base import Excitation


@kind("per-axis")
class PerAxis(Excitation):
    """One scalar excitation for each axis: `PerAxis((Sine(...), Zero()))`."""

    parts: tuple[Excitation, ...] = eqx.field(converter=tuple)

    @property
    def valid_until(self) -> float:
        return min(part.valid_until for part in self.parts)

    def value(self, t: Time) -> jax.Array:
        return jnp.stack([part(t) for part in self.parts])

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        shape = tuple(shape)
        if shape != (len(self.parts),):
            raise ConnectionFault(
                f"PerAxis: has {len(self.parts)} excitations, the interface has shape {shape}; "
                f"give one excitation per axis"
            )
        parts = tuple(part.with_sample_time(dt, ()) for part in self.parts)
        return dataclasses.replace(self, parts=parts, shape=shape)
