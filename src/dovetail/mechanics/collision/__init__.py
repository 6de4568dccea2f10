"""Contact of nodes with moving convex bodies: shapes, bookkeeping of surfaces, forces, and steps that end at events.

Depends on: core, and of this package `contact` and `friction`.
"""

from dovetail.mechanics.collision.convex import ConvexShape, Polygon, Polyhedron, Prism
from dovetail.mechanics.collision.separating_axis import edge_axes, separation
from dovetail.mechanics.collision.stepping import ContactRosenbrock

__all__ = [
    "ContactRosenbrock",
    "ConvexShape",
    "Polygon",
    "Polyhedron",
    "Prism",
    "edge_axes",
    "separation",
]
