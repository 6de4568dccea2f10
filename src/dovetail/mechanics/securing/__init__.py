"""What an aircraft stands on and is held by: prescribed frames, platforms, clamps.

Depends on: core, and of this package `collision`, `geometry` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.securing.drive import Drive
    from dovetail.mechanics.securing.motion import FrameMotion, HarmonicMotion, Still, TableMotion
    from dovetail.mechanics.securing.platform import Frames, Platform, corners_at, frames, half_spaces

lazily(__name__)


__all__ = [
    "Drive",
    "FrameMotion",
    "Frames",
    "HarmonicMotion",
    "Platform",
    "Still",
    "TableMotion",
    "corners_at",
    "frames",
    "half_spaces",
]
