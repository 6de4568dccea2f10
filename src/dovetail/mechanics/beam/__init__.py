"""Finite elements for frames of slender beams: matrices, meshes, damping, modes, section loads.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.beam.damping import rayleigh
    from dovetail.mechanics.beam.element import hermite, planar_element, spatial_element
    from dovetail.mechanics.beam.mesh import BeamMesh, components
    from dovetail.mechanics.beam.modes import modes, slow_basis
    from dovetail.mechanics.beam.section_loads import section_loads

lazily(__name__)


__all__ = [
    "BeamMesh",
    "components",
    "hermite",
    "modes",
    "planar_element",
    "rayleigh",
    "section_loads",
    "slow_basis",
    "spatial_element",
]
