"""A helicopter on a moving deck: flexible skids, contact, securing, rotor.

Depends on: the physics library and `testing`; no study depends on another.

Published by Schock (MASc thesis, Carleton University, 2020). Geometry, polygons and inputs live in figures that carry
no numbers; what stands for them here is reconstructed so that the printed results hold, and is marked in the files.
"""

__all__: list[str] = []
