"""The tick in C++: one source file, built on first use, kept in the user's cache."""

from dovetail.links.native.library import NativeTick, available, library

__all__ = ["NativeTick", "available", "library"]
