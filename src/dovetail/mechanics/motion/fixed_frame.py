"""Fixed frame, for example a deck in port or a tanker in steady flight."""

from __future__ import annotations

import jax

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.motion.base import FrameMotion


@kind("fixed-frame")
class FixedFrame(FrameMotion):
    """Frame at a constant pose."""

    mean_pose: Parameter = parameter("1", "translation [m] and angles [rad]", default=(0.0,) * 6)

    def pose(self, t: jax.Array) -> jax.Array:
        return self.mean_pose
