"""Where two shapes touch: distance, normal and contact points.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.geometry.base import Cavity, Touch
    from dovetail.mechanics.geometry.convex import ConvexShape, Polygon, Polyhedron, Prism
    from dovetail.mechanics.geometry.drogue import ZONES, Drogue
    from dovetail.mechanics.geometry.mesh import Mesh, read_stl, revolved
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
    "Polygon",
    "Polyhedron",
    "Prism",
    "Shape",
    "SolidCavity",
    "Touch",
    "Union",
    "read_stl",
    "revolved",
]
