"""A frame that does not move: a deck in port, a tanker in steady flight."""

from __future__ import annotations

import jax

from dovetail.core import kind, parameter
from dovetail.mechanics.motion.base import FrameMotion


@kind("still")
class Still(FrameMotion):
    """A frame that stays where it is."""

    at: jax.Array = parameter("1", "translation [m] and angles [rad]", default=(0.0,) * 6)

    def pose(self, t):
        return self.at
