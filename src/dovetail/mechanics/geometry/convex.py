r"""Convex bodies as intersections of half-spaces with outward normals.

.. math:: \Delta_m(x) = n_m\cdot x - c_m, \qquad \text{inside} \iff \Delta_m \le 0 \;\text{for all } m

For a point and a convex body this is the separating-axis test: a plane with :math:`\Delta_m > 0` separates them. The
planes are constant in the body's frame, so a test is one small matrix product. Planar vertices are listed clockwise:
the outward normal is to the left of the edge [Schock 2020, sec. 4.2].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.geometry.signed_distance import Shape


class ConvexShape(Shape):
    """Convex body in its own frame; outside its edges and corners the distance is a lower bound."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""

    @abstractmethod
    def planes(self) -> tuple[jax.Array, jax.Array]:
        """Return outward unit normals (m, d) and offsets (m,) [m]."""

    @abstractmethod
    def corners(self) -> jax.Array:
        """Return the vertices (n, d) [m]."""

    def distances(self, point: jax.Array) -> jax.Array:
        """Return signed distances (..., m) [m] of points (..., d) to the planes; negative inside."""
        normals, offsets = self.planes()
        return point @ normals.T - offsets

    def distance(self, p: jax.Array) -> jax.Array:
        return jnp.max(self.distances(p), -1)


@kind("polygon")
class Polygon(ConvexShape):
    """Planar convex polygon."""

    vertices: Parameter = parameter("m", "corners (n, 2), clockwise")

    def __check_init__(self) -> None:
        if not all_concrete(self.vertices):
            return
        fault = polygon_fault(np.asarray(self.vertices))
        if fault:
            raise ParameterError(f"Polygon.vertices: {fault}")

    @property
    def dimension(self) -> int:
        return 2

    def planes(self) -> tuple[jax.Array, jax.Array]:
        along = jnp.roll(self.vertices, -1, axis=0) - self.vertices
        along = along / jnp.linalg.norm(along, axis=1, keepdims=True)
        normals = jnp.stack([-along[:, 1], along[:, 0]], axis=1)
        return normals, jnp.sum(normals * self.vertices, axis=1)

    def corners(self) -> jax.Array:
        return self.vertices


@kind("prism")
class Prism(ConvexShape):
    """Planar polygon extruded along the forward axis; axes are forward, port, up."""

    section: Parameter = parameter("m", "corners (n, 2) in (port, up), clockwise")
    extent: Parameter = parameter("m", "aft and fore end, (2,)", default=(-10.0, 10.0))

    def __check_init__(self) -> None:
        if not all_concrete(self.section):
            return
        fault = polygon_fault(np.asarray(self.section))
        if fault is None and not float(self.extent[0]) < float(self.extent[1]):
            fault = "the extent has no length; list the aft end first"
        if fault:
            raise ParameterError(f"Prism: {fault}")

    @property
    def dimension(self) -> int:
        return 3

    def planes(self) -> tuple[jax.Array, jax.Array]:
        n, c = Polygon(vertices=self.section).planes()
        ends = jnp.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        normals = jnp.concatenate([jnp.pad(n, ((0, 0), (1, 0))), ends])
        return normals, jnp.concatenate([c, jnp.stack([-self.extent[0], self.extent[1]])])

    def corners(self) -> jax.Array:
        return jnp.concatenate(
            [jnp.insert(self.section, 0, end, axis=1) for end in (self.extent[0], self.extent[1])]
        )


@kind("polyhedron")
class Polyhedron(ConvexShape):
    """Convex polyhedron from corners and faces (corner numbers from 1; three of each face are used).

    The order of the corners of a face does not matter: normals point away from the centre of the corners.
    """

    vertices: Parameter = parameter("m", "corners (n, 3)")
    faces: tuple[tuple[int, ...], ...] = eqx.field(  # type: ignore[misc]  # parameters have no default either
        static=True, converter=lambda rows: tuple(tuple(int(i) for i in row) for row in rows)
    )

    def __check_init__(self) -> None:
        v = self.vertices
        if not all_concrete(v):
            return
        if v.ndim != 2 or v.shape[1] != 3 or v.shape[0] < 4:
            raise ParameterError(
                f"Polyhedron.vertices: got shape {v.shape}; expected at least four rows of three coordinates"
            )
        normals, offsets = self.planes()
        beyond = np.asarray(v @ normals.T - offsets)
        size = float(np.ptp(np.asarray(v), axis=0).max())
        if not np.all(np.isfinite(beyond)) or beyond.max() > 1e-9 * size:
            raise ParameterError(
                "Polyhedron: not convex, or a face is not plane; a corner is outside the plane of a face by "
                f"{np.nanmax(beyond):.3g} m"
            )

    @property
    def dimension(self) -> int:
        return 3

    def planes(self) -> tuple[jax.Array, jax.Array]:
        index = np.array([face[:3] for face in self.faces]) - 1
        a, b, c = (self.vertices[index[:, i]] for i in range(3))
        n = jnp.cross(b - a, c - a)
        n = n / jnp.linalg.norm(n, axis=1, keepdims=True)
        offset = jnp.sum(n * a, axis=1)
        middle = n @ jnp.mean(self.vertices, axis=0)
        sign = jnp.where(middle > offset, -1.0, 1.0)
        return n * sign[:, None], offset * sign

    def corners(self) -> jax.Array:
        return self.vertices

    @classmethod
    def from_points(cls, points: Any) -> Polyhedron:
        """Return the convex hull of points (n, 3)."""
        from scipy.spatial import ConvexHull

        points = np.asarray(points, float)
        hull = ConvexHull(points)
        faces: dict[tuple[Any, ...], tuple[int, ...]] = {}
        for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
            faces.setdefault(tuple(np.round(equation, 9)), tuple(int(i) + 1 for i in simplex))
        return cls(vertices=points, faces=tuple(faces.values()))


def polygon_fault(vertices: np.ndarray) -> str | None:
    """Return the fault of a planar polygon as text, or None."""
    if vertices.ndim != 2 or vertices.shape[1] != 2 or len(vertices) < 3:
        return f"got shape {vertices.shape}; expected at least three rows of two coordinates"
    if not np.all(np.isfinite(vertices)):
        return "a coordinate is not finite"
    along = np.roll(vertices, -1, axis=0) - vertices
    if np.any(np.linalg.norm(along, axis=1) <= 1e-12):
        return f"corner {int(np.argmin(np.linalg.norm(along, axis=1))) + 1} is listed twice"
    following = np.roll(along, -1, axis=0)
    turn = along[:, 0] * following[:, 1] - along[:, 1] * following[:, 0]
    angle = np.arctan2(turn, np.sum(along * following, axis=1))
    total = float(np.sum(angle))
    if np.all(turn >= -1e-12) and abs(total - 2 * np.pi) < 1e-6:
        return "the corners are counter-clockwise, so normals point inwards; list them clockwise"
    if abs(total + 2 * np.pi) > 1e-6:
        return "the outline intersects itself; list the corners in order, clockwise"
    if np.any(turn > 1e-12):
        return f"not convex at corner {int(np.argmax(turn) + 1) % len(vertices) + 1}; split it into convex polygons"
    return None
