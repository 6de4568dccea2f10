"""Cross-talk between the axes of a sensor."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, Time
from dovetail.core.errors import ParameterError
from dovetail.transfer.base import MemorylessTransfer


@kind("cross-talk")
class CrossTalk(MemorylessTransfer):
    r"""Sensor with cross-talk between axes, :math:`y = C u`; the unit matrix is an ideal sensor."""

    matrix: Parameter = parameter("1", "C, one row for each measurement")

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> CrossTalk:
        size = int(np.prod(shape, dtype=int))
        if np.shape(self.matrix) != (size, size):
            size_text = "x".join(map(str, np.shape(self.matrix)))
            raise ParameterError(
                f"CrossTalk.matrix: got {size_text}; expected {size}x{size} for the axes of the interface"
            )
        return super().with_sample_time(dt, shape)

    def _per_axis(self) -> list[str]:
        return []

    def apply(self, t: Time, u: Input) -> Output:
        return self.matrix @ jnp.asarray(u, float)
