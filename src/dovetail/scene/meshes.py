"""Meshes of one's own in place of the drawings of parts: STL, OBJ, glTF and what else `trimesh` reads.

A mesh stands about the origin and in the axes of the drawing it replaces: the picture's own, or those of the part where
it turns with it. `PART=FILE` names it, `PART=FILE@mm` where its lengths are not in metres. PART is a name under "what
is shown", or what comes before the slash of several, which the mesh then replaces together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.scene.scene import Solid, Stage
from dovetail.scene.shapes import Triangles

SUFFIXES = (".stl", ".obj", ".gltf", ".glb", ".ply", ".off")
UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
MOST = 200_000  # triangles: more take longer to send than anybody waits


def asked(texts: Sequence[str]) -> dict[str, Triangles]:
    """Meshes by the parts they stand for, from `PART=FILE` or `PART=FILE@UNIT`.

    Raises
    ------
    ParameterError
        If a text is none of these, or a file cannot be read as a mesh.
    """
    found = {}
    for text in texts:
        part, equals, file = text.partition("=")
        if not (part and equals and file):
            raise ParameterError(f"mesh: got {text}; give PART=FILE, as aircraft=helicopter.stl")
        name, at, unit = file.rpartition("@")
        if not at or Path(file).is_file():
            name, unit = file, "m"
        if unit not in UNITS:
            raise ParameterError(f"mesh: {unit} of {text} is no unit; take one of {', '.join(UNITS)}")
        found[part] = read(Path(name), UNITS[unit])
    return found


def read(path: Path, unit: float = 1.0) -> Triangles:
    """The surface in a file, its lengths counted in `unit` [m].

    Raises
    ------
    ParameterError
        If there is no such file, or it is no mesh.
    """
    if not path.is_file():
        raise ParameterError(f"mesh: there is no file {path}")
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"mesh: {path} ends in none of {', '.join(SUFFIXES)}; save it as one of these")
    try:
        import trimesh
    except ModuleNotFoundError as error:
        raise ParameterError(
            "mesh: reading a mesh needs trimesh, which is not installed: pip install 'dovetail-hybrid[view]'"
        ) from error
    try:
        mesh: Any = trimesh.load(str(path), force="mesh")
        vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except Exception as error:  # whatever a reader of so many formats may raise
        raise ParameterError(f"mesh: {path} cannot be read as a mesh: {error}; save it anew") from error
    if not len(faces):
        raise ParameterError(f"mesh: {path} has no triangles; save a surface, not points or curves")
    if not np.isfinite(vertices).all():
        raise ParameterError(f"mesh: {path} has corners that are no numbers; save it anew")
    if len(faces) > MOST:
        raise ParameterError(
            f"mesh: {path} has {len(faces)} triangles, of which {MOST} can be shown; save it coarser"
        )
    return Triangles(unit * vertices, faces)


def with_meshes(stage: Stage, meshes: Mapping[str, Triangles]) -> Stage:
    """The stage with the drawings of some parts replaced; the first of several takes the mesh, the others go.

    Raises
    ------
    UnknownNameError
        If it has no such part.
    """
    solids: list[Solid] = list(stage.solids)
    for part, mesh in meshes.items():
        own = [solid for solid in solids if solid.name == part or solid.name.startswith(f"{part}/")]
        if not own:
            raise UnknownNameError("part", part, _parts(stage), "the picture has no other to replace")
        first = replace(own[0], mesh=mesh, opacity=1.0, stretch=None)
        gone = {solid.name for solid in own[1:]}
        solids = [first if solid is own[0] else solid for solid in solids if solid.name not in gone]
    return replace(stage, solids=solids)


def with_meshes_where(stages: Mapping[str, Stage], meshes: Mapping[str, Triangles]) -> dict[str, Stage]:
    """The same for several pictures of one run, each part in those that have it.

    Raises
    ------
    UnknownNameError
        If none of them has such a part.
    """
    known = {name: _parts(stage) for name, stage in stages.items()}
    for part in meshes:
        if not any(part in names for names in known.values()):
            raise UnknownNameError("part", part, set().union(*known.values()))
    return {
        name: with_meshes(stage, {part: mesh for part, mesh in meshes.items() if part in known[name]})
        for name, stage in stages.items()
    }


def _parts(stage: Stage) -> set[str]:
    names = {solid.name for solid in stage.solids}
    return names | {name.rpartition("/")[0] for name in names if "/" in name}
