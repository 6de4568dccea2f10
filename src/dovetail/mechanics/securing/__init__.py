"""What an aircraft stands on and is held by: platforms, clamps, drives.

Depends on: core, and of this package `collision`, `geometry`, `motion` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.securing.drive import Drive
    from dovetail.mechanics.securing.platform import Platform, PlatformFrames, corners_at, frames, half_spaces

lazily(__name__)


__all__ = [
    "Drive",
    "Platform",
    "PlatformFrames",
    "corners_at",
    "frames",
    "half_spaces",
]
