"""Contact of nodes with moving bodies: which surface is touched, forces, and steps that end at events.

Depends on: core, and of this package `contact` and `friction`.
"""

from dovetail.mechanics.collision.separating_axis import edge_axes, separation
from dovetail.mechanics.collision.stepping import ContactRosenbrock

__all__ = ["ContactRosenbrock", "edge_axes", "separation"]
