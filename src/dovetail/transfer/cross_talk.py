"""Axes of a sensor that read a little of each other."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.core.errors import ParameterError
from dovetail.transfer.base import MemorylessTransfer


@kind("cross-talk")
class CrossTalk(MemorylessTransfer):
    r"""Every reading a sum over all axes, :math:`y = C u`; the unit matrix is a perfect sensor."""

    matrix: jax.Array = parameter("1", "C, a row for each reading")

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> CrossTalk:
        size = int(np.prod(shape, dtype=int))
        if np.shape(self.matrix) != (size, size):
            given = "x".join(map(str, np.shape(self.matrix)))
            raise ParameterError(
                f"CrossTalk.matrix: is {given}; needs {size}x{size} for the axes of the interface"
            )
        return super().sampled_at(dt, shape)

    def _per_axis(self) -> list[str]:
        return []

    def through(self, t: Time, u: Input) -> Output:
        return self.matrix @ jnp.asarray(u, float)
