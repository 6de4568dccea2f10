"""User meshes in place of drawn bodies: STL, OBJ, glTF and other formats that `trimesh` reads.

A mesh has the origin and axes of the body that it replaces. Syntax: `PART=FILE`, or `PART=FILE@mm` if its lengths are
not in metres. PART is a name in the list "Visibility", or the part before the slash of several names, which the mesh
replaces together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.scene.scene import Scene, Solid
from dovetail.scene.shapes import Triangles

SUFFIXES = (".stl", ".obj", ".gltf", ".glb", ".ply", ".off")
UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
MAX_TRIANGLES = 200_000  # largest number of triangles; more take too long to send


def parse_mesh_options(texts: Sequence[str]) -> dict[str, Triangles]:
    """Return meshes by the name of the part that they replace, from `PART=FILE` or `PART=FILE@UNIT`.

    Raises
    ------
    ParameterError
        If a text has another form, or a file cannot be read as a mesh.
    """
    meshes = {}
    for text in texts:
        part, equals, file = text.partition("=")
        if not (part and equals and file):
            raise ParameterError(f"mesh: '{text}' is not PART=FILE; example: aircraft=helicopter.stl")
        name, at, unit = file.rpartition("@")
        if not at or Path(file).is_file():
            name, unit = file, "m"
        if unit not in UNITS:
            raise ParameterError(f"mesh: unknown unit '{unit}' in '{text}'; use one of {', '.join(UNITS)}")
        meshes[part] = read_mesh(Path(name), UNITS[unit])
    return meshes


def read_mesh(path: Path, unit: float = 1.0) -> Triangles:
    """Read the surface in a file with lengths in `unit` [m].

    Raises
    ------
    ParameterError
        If the file does not exist or is not a mesh.
    """
    if not path.is_file():
        raise ParameterError(f"mesh: file not found: {path}")
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"mesh: {path}: unknown format; save it as one of {', '.join(SUFFIXES)}")
    try:
        import trimesh
    except ModuleNotFoundError as error:
        raise ParameterError(
            "mesh: reading a mesh needs trimesh, which is not installed: pip install 'dovetail-hybrid[view]'"
        ) from error
    try:
        mesh: Any = trimesh.load(str(path), force="mesh")
        vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except Exception as error:  # the readers of trimesh raise various exceptions
        raise ParameterError(f"mesh: {path} cannot be read as a mesh: {error}; export it again") from error
    if not len(faces):
        raise ParameterError(f"mesh: {path} has no triangles; save a surface, not points or curves")
    if not np.isfinite(vertices).all():
        raise ParameterError(f"mesh: {path} has vertices that are not finite; export it again")
    if len(faces) > MAX_TRIANGLES:
        raise ParameterError(f"mesh: {path} has {len(faces)} triangles; reduce it to at most {MAX_TRIANGLES}")
    return Triangles(unit * vertices, faces)


def with_meshes(scene: Scene, meshes: Mapping[str, Triangles]) -> Scene:
    """Return the scene with some parts replaced; of several solids of a part, the mesh replaces all.

    Raises
    ------
    UnknownNameError
        If the scene has no such part.
    """
    solids: list[Solid] = list(scene.solids)
    for part, mesh in meshes.items():
        own = [solid for solid in solids if solid.name == part or solid.name.startswith(f"{part}/")]
        if not own:
            raise UnknownNameError("part", part, _parts(scene), "the scene has no parts to replace")
        first = replace(own[0], mesh=mesh, opacity=1.0, stretch=None)
        gone = {solid.name for solid in own[1:]}
        solids = [first if solid is own[0] else solid for solid in solids if solid.name not in gone]
    return replace(scene, solids=solids)


def with_meshes_in_any(scenes: Mapping[str, Scene], meshes: Mapping[str, Triangles]) -> dict[str, Scene]:
    """Replace parts in several scenes of one run, each part in the scenes that have it.

    Raises
    ------
    UnknownNameError
        If no scene has such a part.
    """
    known = {name: _parts(scene) for name, scene in scenes.items()}
    for part in meshes:
        if not any(part in names for names in known.values()):
            raise UnknownNameError("part", part, set().union(*known.values()))
    return {
        name: with_meshes(scene, {part: mesh for part, mesh in meshes.items() if part in known[name]})
        for name, scene in scenes.items()
    }


def _parts(scene: Scene) -> set[str]:
    names = {solid.name for solid in scene.solids}
    return names | {name.rpartition("/")[0] for name in names if "/" in name}
