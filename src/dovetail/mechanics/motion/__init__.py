"""Prescribed frame motions of decks, tankers and clamps: fixed, harmonic, from a table, braking and offset points.

Depends on: core, and of this package `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.motion.base import FrameMotion, MotionModel, PointMotion, SupportMotion
    from dovetail.mechanics.motion.fixed_frame import FixedFrame
    from dovetail.mechanics.motion.harmonic import HarmonicMotion
    from dovetail.mechanics.motion.point import BrakingPoint, OffsetPoint
    from dovetail.mechanics.motion.table import TableMotion

lazily(__name__)

__all__ = [
    "BrakingPoint",
    "FixedFrame",
    "FrameMotion",
    "HarmonicMotion",
    "MotionModel",
    "OffsetPoint",
    "PointMotion",
    "SupportMotion",
    "TableMotion",
]
