"""The tick, the served rig and the window on a loop in C++: built on first use, kept in the user's cache.

Depends on: core, testing.
"""

from dovetail.links.native.library import NativeTick, available, library
from dovetail.links.native.session import NativeSession

__all__ = ["NativeSession", "NativeTick", "available", "library"]
