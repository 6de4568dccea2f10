"""3-D scenes of runs as data (solids, tubes, lines, arrows, labels over time), and a renderer for images and videos.

Depends on: core, mechanics, air, sea, transfer, specimens, testing, fidelity, studies. Reports and videos show scenes.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.scene.build import available_scenes, build_scene
    from dovetail.scene.scene import Arrow, Line, Plot, Scene

lazily(__name__)


__all__ = ["Arrow", "Line", "Plot", "Scene", "available_scenes", "build_scene"]
