"""Tick, rig session and ring buffer in C++: part of the package, or built at first use.

Depends on: core, testing.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.links.native.build import origin
    from dovetail.links.native.library import NativeTick, available, library
    from dovetail.links.native.session import NativeSession

lazily(__name__)


__all__ = ["NativeSession", "NativeTick", "available", "library", "origin"]
