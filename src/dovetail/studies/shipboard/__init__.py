"""A helicopter on a moving deck: flexible skids, contact, securing, rotor.

Depends on: the physics packages and `testing`; no study depends on another.

Published by Schock (MASc thesis, Carleton University, 2020). Its geometry, polygons and inputs are figures without
numbers; they are reconstructed to reproduce the printed results and are marked in the files.
"""

__all__: list[str] = []
