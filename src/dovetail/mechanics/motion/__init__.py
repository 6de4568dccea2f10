"""How a frame moves that is told to: still, in sines, by a table, as a point that brakes; a deck, a tanker, a clamp.

Depends on: core, and of this package `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.motion.base import FrameMotion, Mover, PointMotion, SupportMotion
    from dovetail.mechanics.motion.fixed_frame import Still
    from dovetail.mechanics.motion.harmonic import HarmonicMotion
    from dovetail.mechanics.motion.point import BrakingPoint, ShiftedPoint
    from dovetail.mechanics.motion.table import TableMotion

lazily(__name__)

__all__ = [
    "BrakingPoint",
    "FrameMotion",
    "HarmonicMotion",
    "Mover",
    "PointMotion",
    "ShiftedPoint",
    "Still",
    "SupportMotion",
    "TableMotion",
]
