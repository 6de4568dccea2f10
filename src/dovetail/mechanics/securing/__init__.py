"""Decks and securing devices: platforms, clamps and their drives.

Depends on: core, and of this package `collision`, `geometry`, `motion` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.securing.drive import CompliantDrive
    from dovetail.mechanics.securing.platform import Platform, PlatformFrames, corners_at, frames, half_spaces

lazily(__name__)


__all__ = [
    "CompliantDrive",
    "Platform",
    "PlatformFrames",
    "corners_at",
    "frames",
    "half_spaces",
]
