"""Meshes from a few dimensions: bodies of revolution, boxes, hulls, and machines composed of them.

A mesh is vertices (n, 3) [m] and triangles (m, 3), counter-clockwise seen from outside. Machines have x forward, y to
port and z up about their own origin; `rotate` changes the axes. Their shapes are schematic; only their motion is
computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

SIDES = 24  # sides of a round body


class Triangles(NamedTuple):
    """Surface of triangles."""

    vertices: np.ndarray
    faces: np.ndarray


def merge(*meshes: Triangles) -> Triangles:
    """Return several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return Triangles(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts[:-1], strict=True)]),
    )


def translate(mesh: Triangles, by: ArrayLike) -> Triangles:
    """Return a mesh shifted by (3,) [m]."""
    return Triangles(mesh.vertices + np.asarray(by, float), mesh.faces)


def rotate(mesh: Triangles, forward: np.ndarray, up: np.ndarray) -> Triangles:
    """Return a mesh with its x axis along `forward` and its z axis along `up`, two orthogonal unit vectors."""
    R = np.stack([forward, np.cross(up, forward), up], axis=1)
    return Triangles(mesh.vertices @ R.T, mesh.faces)


def lathe(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Triangles:
    """Return a body of revolution about x from its outline (x, radius), with x rising along the outside.

    An outline that turns back has an inner wall; an outline that ends at a radius is open there.
    """
    x, r = np.asarray(profile, float).T
    a = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    rings = np.stack(
        [np.repeat(x[:, None], sides, 1), r[:, None] * np.cos(a), r[:, None] * np.sin(a)], axis=2
    )
    return skin(rings)


def skin(rings: np.ndarray) -> Triangles:
    """Return the surface through successive rings of points (n, sides, 3), without triangles of zero area."""
    count, sides = rings.shape[:2]
    i, j = np.meshgrid(np.arange(count - 1), np.arange(sides), indexing="ij")
    here, aside = i * sides + j, i * sides + (j + 1) % sides
    faces = np.stack([here, aside, here + sides, aside, aside + sides, here + sides], axis=-1).reshape(-1, 3)
    points = rings.reshape(-1, 3)
    a, b, c = (points[faces[:, i]] for i in range(3))
    return Triangles(points, faces[np.any(np.cross(b - a, c - a) != 0, axis=1)])


def rod(radius: float, length: float, sides: int = SIDES) -> Triangles:
    """Return a closed cylinder from the origin along x; separate vertices at the ends give sharp edges."""
    ends = [(0, 0), (0, radius), (0, radius), (length, radius), (length, radius), (length, 0)]
    return lathe(ends, sides)


def tube_piece(sides: int = 6) -> Triangles:
    """Return a tube of unit length and radius from the origin along x, to be scaled between two nodes."""
    return rod(1.0, 1.0, sides)


def rod_between(start: ArrayLike, end: ArrayLike, radius: float, sides: int = 12) -> Triangles:
    """Return a closed cylinder from one point to another."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-12)
    other = np.eye(3)[np.argmin(np.abs(along))]
    up = np.cross(along, other) / np.linalg.norm(np.cross(along, other))
    return translate(rotate(rod(radius, float(np.linalg.norm(end - start)), sides), along, up), start)


def ellipsoid(radii: Sequence[float], sides: int = SIDES) -> Triangles:
    """Return an ellipsoid about the origin, with three half axes [m]."""
    a = np.linspace(np.pi, 0, sides // 2 + 1)
    ball = lathe(list(zip(np.cos(a), np.abs(np.sin(a)), strict=True)), sides)
    return Triangles(ball.vertices * np.asarray(radii, float), ball.faces)


def hull(points: np.ndarray) -> Triangles:
    """Return the convex hull of points (n, 3), with all faces outwards."""
    from scipy.spatial import ConvexHull

    points = np.asarray(points, float)
    faces, middle = ConvexHull(points).simplices.copy(), points.mean(axis=0)
    a, b, c = (points[faces[:, i]] for i in range(3))
    inward = np.sum(np.cross(b - a, c - a) * (a - middle), axis=1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Triangles(points[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3))  # sharp edges


def box(size: Sequence[float]) -> Triangles:
    """Return a box about the origin, with three lengths [m]."""
    corners = np.stack(np.meshgrid(*([[-0.5, 0.5]] * 3), indexing="ij"), axis=-1).reshape(-1, 3)
    return hull(corners * np.asarray(size, float))


def slab(outline: np.ndarray, thickness: float) -> Triangles:
    """Return a plate with a convex outline (n, 2) in x and y, centred in its thickness."""
    flat = np.asarray(outline, float)
    return hull(
        np.concatenate([np.column_stack([flat, np.full(len(flat), s * thickness / 2)]) for s in (-1, 1)])
    )


def coil(radius: float, wire: float, turns: int = 8) -> Triangles:
    """Return a spring of unit length along x, to be scaled; its ends are on the axis."""
    t = np.linspace(0, 1, 16 * turns + 1)
    a = 2 * np.pi * turns * t
    spread = np.clip(np.minimum(t, 1 - t) / 0.04, 0, 1)
    path = np.stack([t, radius * spread * np.cos(a), radius * spread * np.sin(a)], axis=1)
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, np.stack([0 * t, np.cos(a), np.sin(a)], axis=1))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(side, along)
    sides = 6
    b = np.linspace(0, 2 * np.pi, sides, endpoint=False)[None, :, None]
    return skin(path[:, None] + wire * (np.cos(b) * other[:, None] + np.sin(b) * side[:, None]))


# machines


def helicopter(length: float, floor: float, rotor_radius: float) -> dict[str, Triangles]:
    """Return `body` (cabin, boom, fin), `glass`, `mast` (with hub and blades) and `rotor` disc.

    The cabin is `length` [m] long; `floor` [m] is the height of its floor above the origin, the centre of gravity.
    """
    tall = 0.27 * length
    z = floor + 0.9 * tall
    egg = ellipsoid((0.5 * length, 0.3 * length, tall), 40)
    cabin, glass = (translate(mesh, (0.08 * length, 0, z)) for mesh in (egg, _pane(egg)))
    tail = -1.2 * length
    boom = translate(
        lathe([(tail, 0), (tail, 0.03 * length), (-0.3 * length, 0.09 * length), (0.0, 0)]),
        (0, 0, z + 0.07 * length),
    )
    fin = translate(box((0.16 * length, 0.02 * length, 0.42 * length)), (tail, 0, z + 0.2 * length))
    plane = translate(box((0.14 * length, 0.5 * length, 0.02 * length)), (0.86 * tail, 0, z + 0.07 * length))
    top = z + 1.45 * tall
    mast = rod_between((0, 0, z + 0.8 * tall), (0, 0, top), 0.03 * length)
    hub = translate(ellipsoid((0.07 * length, 0.07 * length, 0.03 * length)), (0, 0, top))
    disc = rotate(rod(rotor_radius, 0.006 * length, 48), np.array([0, 0, 1.0]), np.array([-1.0, 0, 0]))
    chord, thick = 0.06 * length, 0.012 * length
    blades = merge(box((2 * rotor_radius, chord, thick)), box((chord, 2 * rotor_radius, thick)))
    return {
        "body": merge(cabin, boom, fin, plane),
        "glass": glass,
        "mast": merge(mast, hub, translate(blades, (0, 0, top))),
        "rotor": translate(disc, (0, 0, top)),
    }


def _pane(egg: Triangles, over: float = 1.012) -> Triangles:
    """Return the glass of a cabin: its front without the lower part, slightly enlarged."""
    x, y, z = (egg.vertices / np.abs(egg.vertices).max(axis=0)).T
    around = np.hypot(y, z)
    clear = (x > 0.3) & (z > -0.46 * around - 1e-9)  # complete rows of the mesh, for an even edge
    return Triangles(over * egg.vertices, egg.faces[np.all(clear[egg.faces], axis=1)])


def skids(length: float, floor: float) -> Triangles:
    """Return the skids of a helicopter with a cabin of `length` [m]."""
    low, wide, half = floor - 0.2 * length, 0.24 * length, 0.38 * length
    tubes = [rod_between((-half, s * wide, low), (half, s * wide, low), 0.018 * length) for s in (-1, 1)]
    struts = [
        rod_between((x, 0.4 * s * wide, floor + 0.12 * length), (x, s * wide, low), 0.014 * length)
        for x in (-0.5 * half, 0.5 * half)
        for s in (-1, 1)
    ]
    return merge(*tubes, *struts)


def aeroplane(
    length: float, span: float, *, sweep: float = 0.0, high_tail: bool = False, engines: bool = False
) -> Triangles:
    """Return fuselage, wings, tailplane and fin; `sweep` [m] is the aft offset of the wing tips."""
    r = 0.055 * length
    fuselage = lathe(
        [
            (-0.5 * length, 0),
            (-0.5 * length, 0.15 * r),
            (-0.2 * length, r),
            (0.32 * length, r),
            (0.44 * length, 0.7 * r),
            (0.49 * length, 0.25 * r),
            (0.5 * length, 0),
        ]
    )

    def wing(root: float, tip: float, half: float, back: float, thick: float) -> Triangles:
        right = np.array(
            [[0.5 * root, 0], [-0.5 * root, 0], [-0.5 * tip - back, -half], [0.5 * tip - back, -half]]
        )
        left = right * [1, -1]
        return merge(slab(right, thick), slab(left, thick))

    main = translate(
        wing(0.16 * length, 0.07 * length, 0.5 * span, sweep, 0.014 * length), (0.05 * length, 0, -0.3 * r)
    )
    lift = 0.19 * length if high_tail else 0.2 * r
    tail = translate(
        wing(0.1 * length, 0.05 * length, 0.17 * span, 0.35 * sweep, 0.01 * length), (-0.45 * length, 0, lift)
    )
    outline = length * np.array([[-0.37, 0], [-0.5, 0], [-0.53, 0.2], [-0.46, 0.2]])
    fin = rotate(slab(outline, 0.012 * length), np.array([1.0, 0, 0]), np.array([0, -1.0, 0]))
    return merge(fuselage, main, tail, fin, *(_nacelles(length, span, sweep) if engines else ()))


def _nacelles(length: float, span: float, sweep: float) -> list[Triangles]:
    """Return an engine below each wing of an aeroplane."""
    r, out = 0.032 * length, 0.17 * span
    x = 0.05 * length - sweep * out / (0.5 * span)
    nacelle = lathe(
        [
            (-0.05 * length, 0),
            (-0.05 * length, 0.6 * r),
            (0.0, r),
            (0.05 * length, r),
            (0.05 * length, 0.8 * r),
            (0.035 * length, 0),
        ]
    )
    return [translate(nacelle, (x + 0.05 * length, s * out, -0.065 * length)) for s in (-1, 1)]


def drogue(depths: Sequence[float], radii: Sequence[float]) -> dict[str, Triangles]:
    """Return coupling, ribs and canopy of a drogue from inner radii at depths [m] aft of the origin; axis along x."""
    d, r = np.asarray(depths, float), np.asarray(radii, float)
    wall = 0.02
    outside = [(-x, y + wall) for x, y in zip(d[::-1], r[::-1], strict=True)]
    inside = [(-x, y) for x, y in zip(d, r, strict=True)]
    coupling = lathe([*outside[1:], (0.0, 0.05), (0.0, 0.0)])
    bore = lathe(inside[:-1])
    a = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    last = max(len(d) - 2, 0)
    ribs = merge(
        *(
            rod_between(
                (-d[last], (r[last] + wall) * np.cos(b), (r[last] + wall) * np.sin(b)),
                (-d[-1], r[-1] * np.cos(b), r[-1] * np.sin(b)),
                0.012,
                5,
            )
            for b in a
        )
    )
    rim = r[-1]
    canopy = lathe(
        [
            (-d[-1] - 0.03, 0.99 * rim),
            (-d[-1] - 0.16, 1.22 * rim),
            (-d[-1] - 0.02, 1.26 * rim),
            (-d[-1], rim),
        ],
        36,
    )
    return {"coupling": merge(coupling, bore), "ribs": ribs, "canopy": canopy}


def device(length: float) -> Triangles:
    """Return a small towed body with four fins."""
    body = lathe(
        [
            (-0.5 * length, 0),
            (-0.5 * length, 0.06 * length),
            (0.3 * length, 0.09 * length),
            (0.45 * length, 0.05 * length),
            (0.5 * length, 0),
        ]
    )
    flat = length * np.array([[-0.3, 0.05], [-0.5, 0.05], [-0.55, 0.32], [-0.42, 0.32]])
    fin = slab(flat, 0.015 * length)
    ups = (np.array([0, 0, 1.0]), np.array([0, 1.0, 0]), np.array([0, 0, -1.0]), np.array([0, -1.0, 0]))
    return merge(body, *(rotate(fin, np.array([1.0, 0, 0]), up) for up in ups))


def rocket_stage(length: float) -> dict[str, Triangles]:
    """Return a winged first stage: nose at the origin, along -x, engines at the end."""
    r = 0.065 * length
    nose = [(-0.25 * length * (1 - u), r * (1 - u**2) ** 0.5) for u in np.linspace(0, 1, 9)]
    tank = lathe([(-0.96 * length, 0), (-0.96 * length, r), *nose])
    delta = length * np.array([[-0.42, 0.0], [-0.93, 0.0], [-0.93, -0.3], [-0.8, -0.3]])
    wings = merge(*(slab(delta * [1, s], 0.012 * length) for s in (1, -1)))
    flat = length * np.array([[-0.78, 0], [-0.93, 0], [-0.95, 0.14], [-0.88, 0.14]])
    fin = rotate(slab(flat, 0.012 * length), np.array([1.0, 0, 0]), np.array([0, -1.0, 0]))
    fins = merge(*(translate(fin, (0, s * 0.29 * length, 0)) for s in (-1, 1)))
    bell = lathe([(-1.02 * length, 0.028 * length), (-0.955 * length, 0.012 * length), (-0.955 * length, 0)])
    around = [(0.0, 0.0), *((0.036 * np.cos(a), 0.036 * np.sin(a)) for a in np.arange(6) * np.pi / 3)]
    engines = merge(*(translate(bell, (0, y * length, z * length)) for y, z in around))
    return {"body": merge(tank, translate(wings, (0, 0, -0.6 * r)), fins), "engines": engines}


def spacecraft(size: float) -> dict[str, Triangles]:
    """Return a cube with two solar panels; front face at the origin, along -x."""
    cube = translate(box((size, size, size)), (-0.5 * size, 0, 0))
    wing = box((0.5 * size, 1.8 * size, 0.02 * size))
    panels = merge(*(translate(wing, (-0.5 * size, s * 1.5 * size, 0)) for s in (-1, 1)))
    return {"body": cube, "panels": panels}


def cone(profile: Sequence[tuple[float, float]], wall: float) -> tuple[Triangles, Triangles]:
    """Return far and near half of a cavity about x, from its inner outline (x, radius)."""
    inner = np.asarray(profile, float)
    outline = [*inner[::-1], (inner[0, 0], inner[0, 1]), (inner[0, 0] - wall, inner[0, 1] + wall)]
    outline += [(x, r + wall) for x, r in inner[1:]]
    body = lathe([(float(x), float(r)) for x, r in outline], 2 * SIDES)
    centre = body.vertices[body.faces].mean(axis=1)
    far = Triangles(body.vertices, body.faces[centre[:, 1] >= 0])
    near = Triangles(body.vertices, body.faces[centre[:, 1] < 0])
    return far, near
