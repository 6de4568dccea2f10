"""Geometry of contact: distance, normal and nearest points of two shapes.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.geometry.base import Cavity, NearestPoint
    from dovetail.mechanics.geometry.convex import ConvexShape, Polygon, Polyhedron, Prism
    from dovetail.mechanics.geometry.drogue import ZONES, Drogue
    from dovetail.mechanics.geometry.mesh import Mesh, read_stl, revolve
    from dovetail.mechanics.geometry.signed_distance import (
        Ball,
        Box,
        Capsule,
        Cone,
        Hollow,
        Shape,
        SolidCavity,
        Union,
    )

lazily(__name__)


__all__ = [
    "ZONES",
    "Ball",
    "Box",
    "Capsule",
    "Cavity",
    "Cone",
    "ConvexShape",
    "Drogue",
    "Hollow",
    "Mesh",
    "NearestPoint",
    "Polygon",
    "Polyhedron",
    "Prism",
    "Shape",
    "SolidCavity",
    "Union",
    "read_stl",
    "revolve",
]
