"""A test as a picture, as data (solids, tubes, lines, arrows, labels over time), and a renderer for stills and films.

Depends on: core, mechanics, air, sea, transfer, specimens, testing, fidelity, studies. Pages and films show scenes.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.scene.build import pictures_of, stage_of
    from dovetail.scene.scene import Arrow, Line, Plot, Stage

lazily(__name__)


__all__ = ["Arrow", "Line", "Plot", "Stage", "pictures_of", "stage_of"]
