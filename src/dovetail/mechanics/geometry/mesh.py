r"""A solid by a mesh of triangles: any drawn part as the thing that a probe meets.

The distance of a point to the solid is that to the nearest point of any triangle, found for all of them at once; it
counts negative inside, where the triangles' solid angles add up to a whole sphere [Van Oosterom and Strackee 1983]:

.. math:: d(p) = \pm\min_k \lVert p - c_k(p)\rVert, \qquad
          \sum_k \Omega_k(p) = \begin{cases} 4\pi & \text{inside}\\ 0 & \text{outside}\end{cases}

Corners run anticlockwise seen from outside, and the mesh is closed. A mesh is exact for a solid with flat faces; of a
curved one it is off by the sagitta of its edges, :math:`h^2/8R`, and its normals jump from face to face by their angle,
so stiff contact needs edges that are short against the radius: depth errors are a fraction of a micrometre where
:math:`h = 1` mm on 0.2 m. One nearest point; the work grows with the number of triangles.
"""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.core.errors import OutputError, ParameterError
from dovetail.core.parameter import known
from dovetail.mechanics.geometry.signed_distance import Shape


@kind("mesh")
class Mesh(Shape):
    """A closed surface of triangles, corners anticlockwise seen from outside."""

    triangles: jax.Array = parameter("m", "corners, (number, 3 corners, 3 coordinates)")

    def __check_init__(self):
        super().__check_init__()
        if not known(self.triangles):
            return
        corners = np.asarray(self.triangles)
        if corners.ndim != 3 or corners.shape[1:] != (3, 3):
            raise ParameterError(f"Mesh.triangles: got shape {corners.shape}; (number, 3, 3) is right")
        size = (
            np.ptp(corners.reshape(-1, 3), axis=0).max()
            if corners.size and np.isfinite(corners).all()
            else 0.0
        )
        if not 0 < size < np.inf:
            raise ParameterError(
                "Mesh.triangles: a corner is no finite number, or all are one; give a body in metres"
            )
        points = np.unique(np.round(corners / size, 9).reshape(-1, 3), axis=0, return_inverse=True)[1]
        a = points.reshape(-1, 3)
        edges = np.stack([a, np.roll(a, -1, axis=1)], -1).reshape(-1, 2)
        there, back = ({tuple(e) for e in way.tolist()} for way in (edges, edges[:, ::-1]))
        if there != back or len(there) != len(edges):
            raise ParameterError(
                f"Mesh.triangles: {len(there ^ back)} edges of {len(edges)} have no partner in the other "
                "direction; close the surface, corners anticlockwise seen from outside"
            )

    def nearest(self, p: jax.Array) -> jax.Array:
        """The point [m] of the surface that is nearest to a point [m]."""
        points = jax.vmap(_nearest, (0, None))(self.triangles, p)
        return points[jnp.argmin(jnp.sum((points - p) ** 2, axis=1))]

    def distance(self, p):
        off = p - self.nearest(p)
        inside = jnp.sum(jax.vmap(_solid_angle, (0, None))(self.triangles, p)) > 2 * jnp.pi
        length = jnp.sqrt(jnp.maximum(jnp.sum(off * off), 1e-300))
        return jnp.where(inside, -length, length)

    def normal(self, p):
        off = p - self.nearest(p)
        return off / self.distance(p)


def _nearest(corners: jax.Array, p: jax.Array) -> jax.Array:
    """Point of a triangle nearest to p: the foot on its plane, or on one of its edges where that lies outside."""
    a, b, c = corners
    ab, ac, ap = b - a, c - a, p - a
    normal = jnp.cross(ab, ac)
    scale = jnp.sum(normal * normal)
    v = jnp.sum(jnp.cross(ap, ac) * normal) / scale  # barycentric shares of b and c
    w = jnp.sum(jnp.cross(ab, ap) * normal) / scale
    within = (v >= 0) & (w >= 0) & (v + w <= 1)

    def on_edge(start, end):
        along = end - start
        share = jnp.clip(jnp.sum((p - start) * along) / jnp.sum(along * along), 0.0, 1.0)
        return start + share * along

    feet = jnp.stack([on_edge(a, b), on_edge(b, c), on_edge(c, a)])
    edge = feet[jnp.argmin(jnp.sum((feet - p) ** 2, axis=1))]
    return jnp.where(within, a + v * ab + w * ac, edge)


def _solid_angle(corners: jax.Array, p: jax.Array) -> jax.Array:
    """Under which a triangle is seen from p [sr], positive from inside."""
    a, b, c = corners - p
    la, lb, lc = (jnp.sqrt(jnp.maximum(jnp.sum(v * v), 1e-300)) for v in (a, b, c))
    above = jnp.sum(a * jnp.cross(b, c))
    below = la * lb * lc + jnp.sum(a * b) * lc + jnp.sum(b * c) * la + jnp.sum(c * a) * lb
    return 2 * jnp.arctan2(above, below)


def read_stl(path: str | Path, unit: float = 1e-3) -> Mesh:
    """The mesh of an STL file, binary or text; `unit` [m] is what its lengths are counted in."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from error
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else 0
    if len(data) == 84 + 50 * count and count:
        packed = np.frombuffer(data, np.dtype([("values", "<f4", (4, 3)), ("attribute", "<u2")]), count, 84)
        corners = packed["values"][:, 1:].astype(float)
    else:
        rows = [
            line.split()[1:4] for line in data.decode("ascii", "replace").splitlines() if "vertex" in line
        ]
        wanted = ParameterError(f"{path}: no triangles found; an STL file, binary or text, is wanted")
        if not rows or len(rows) % 3:
            raise wanted
        try:
            corners = np.array(rows, dtype=float).reshape(-1, 3, 3)
        except ValueError as error:  # corners of two numbers, or of words
            raise wanted from error
    return Mesh(unit * corners)


def revolved(along: np.ndarray, radius: np.ndarray, sectors: int) -> Mesh:
    """The solid that a closed outline (x, r) sweeps about the x axis, r above zero, in so many sectors.

    The outline runs so that the solid lies to its right with x to the right and r upwards.
    """
    turn = 2 * np.pi * np.arange(sectors) / sectors
    ring = np.stack([np.cos(turn), np.sin(turn)])
    here = np.stack(
        [np.repeat(along[:, None], sectors, 1), radius[:, None] * ring[0], radius[:, None] * ring[1]], -1
    )
    right, up = np.roll(here, -1, axis=1), np.roll(here, -1, axis=0)
    both = np.roll(right, -1, axis=0)
    return Mesh(np.concatenate([_faces(here, up, right), _faces(up, both, right)]))


def _faces(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return np.stack([a, b, c], axis=2).reshape(-1, 3, 3)
