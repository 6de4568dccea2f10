r"""Beam mesh: nodes and elements, assembled by the direct stiffness method.

Element matrices are transformed to global axes, :math:`T^T K T`, and added at their nodes
[Schock 2020, eqs 4.13 to 4.15]. Nodes with two coordinates make a planar frame (three degrees of freedom per node),
nodes with three coordinates a spatial frame (six).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import numpy as np

from dovetail.core import OptionalParameter, Parameter, Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.beam.element import (
    PLANAR,
    SPATIAL,
    TURN,
    bar,
    placed,
    planar_element,
    planar_tension,
    planar_turn,
    spatial_element,
    spatial_tension,
    spatial_turn,
)


@kind("beam-mesh")
class BeamMesh(Part):
    """Beam mesh: nodes, elements, and section data (one value for all elements, or one each).

    Elements are pairs of node numbers, counted from 1 as in the source files. In space, `I` is the second moment about
    both axes unless `I_z` is given (default: round section). The default torsion constant is `I + I_z`.
    """

    nodes: Parameter = parameter("m", "undeformed coordinates, (n, 2) or (n, 3)")
    elements: tuple[tuple[int, int], ...] = eqx.field(  # type: ignore[misc]  # parameters have no default
        static=True, converter=lambda pairs: tuple(tuple(int(i) for i in pair) for pair in pairs)
    )
    E: Parameter = parameter("Pa", "Young's modulus", above=0.0)
    I: Parameter = parameter("m^4", "second moment of area", above=0.0)
    A: Parameter = parameter("m^2", "area of the section", above=0.0)
    rho: Parameter = parameter("kg/m^3", "density", above=0.0)
    I_z: OptionalParameter = parameter(
        "m^4", "second moment of area about the other axis", default=None, above=0.0
    )
    poisson: Parameter = parameter("1", "Poisson's ratio, for torsion", default=0.3)
    torsion: OptionalParameter = parameter("m^4", "torsion constant", default=None, above=0.0)

    def __check_init__(self) -> None:
        if not all_concrete(self.nodes):
            return
        fault = mesh_fault(np.asarray(self.nodes), self.elements)
        if fault:
            raise ParameterError(f"BeamMesh: {fault}")

    @property
    def dimension(self) -> int:
        """Number of coordinates per node, 2 or 3."""
        return self.nodes.shape[1]

    @property
    def freedoms(self) -> int:
        """Degrees of freedom per node, 3 or 6."""
        return PLANAR if self.dimension == 2 else SPATIAL

    def lengths(self) -> np.ndarray:
        """Return the lengths of the elements [m]."""
        x = np.asarray(self.nodes)
        return np.array([np.linalg.norm(x[b - 1] - x[a - 1]) for a, b in self.elements])

    def mass(self) -> float:
        """Return the total mass [kg]."""
        return float(np.sum(self.element_values("rho") * self.element_values("A") * self.lengths()))

    def element_values(self, name: str) -> np.ndarray:
        """Return a section parameter for each element."""
        value = getattr(self, name)
        return np.broadcast_to(np.asarray(value), (len(self.elements),))

    def seconds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the second moments of area [m^4] of each element: `I`, and `I_z` (default: `I`)."""
        return self.element_values("I"), self.element_values("I" if self.I_z is None else "I_z")

    def element(self, e: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return stiffness and mass of element e (from 0) in local axes, and the global-to-local matrix."""
        length = float(self.lengths()[e])
        E, A, rho = (float(self.element_values(n)[e]) for n in ("E", "A", "rho"))
        I, I_z = (float(second[e]) for second in self.seconds())
        if self.dimension == 2:
            return *planar_element(E, A, I, rho, length), self.turn(e)
        J = I + I_z if self.torsion is None else float(self.element_values("torsion")[e])
        shear = E / (2 * (1 + float(self.poisson)))
        return *spatial_element(E, A, I, I_z, shear, J, rho, length), self.turn(e)

    def turn(self, e: int) -> np.ndarray:
        """Return the global-to-local matrix of element e."""
        a, b = self.elements[e]
        x = np.asarray(self.nodes)
        along = (x[b - 1] - x[a - 1]) / self.lengths()[e]
        return planar_turn(along) if self.dimension == 2 else spatial_turn(along)

    def places(self, e: int) -> np.ndarray:
        """Return the indices of the degrees of freedom of element e in the global matrices."""
        a, b = self.elements[e]
        f = self.freedoms
        return np.concatenate([np.arange(f * (a - 1), f * a), np.arange(f * (b - 1), f * b)])

    def gathered(self, of_element: Callable[[int], np.ndarray]) -> np.ndarray:
        """Return the global matrix assembled from element matrices in local axes."""
        size = self.freedoms * self.nodes.shape[0]
        matrix = np.zeros((size, size))
        for e in range(len(self.elements)):
            turn = self.turn(e)
            matrix[np.ix_(self.places(e), self.places(e))] += turn.T @ of_element(e) @ turn
        return matrix

    def assemble(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the mass and stiffness matrix of the mesh, in global axes."""
        return self.gathered(lambda e: self.element(e)[1]), self.gathered(lambda e: self.element(e)[0])

    def tension_stiffness(self, tension: np.ndarray) -> np.ndarray:
        """Return the geometric stiffness for element tensions [N], negative in compression."""
        l, (I, I_z), A = self.lengths(), self.seconds(), self.element_values("A")
        if self.dimension == 2:
            return self.gathered(lambda e: planar_tension(tension[e], l[e]))
        return self.gathered(lambda e: spatial_tension(tension[e], (I[e] + I_z[e]) / A[e], l[e]))

    def rotation_stiffness(self, by_length: np.ndarray) -> np.ndarray:
        """Return the matrix of a distributed torsional resistance, in space, [N m] per metre and radian."""
        l = self.lengths()
        return self.gathered(lambda e: placed(12, (TURN, bar(0.0, by_length[e], l[e])[1])))

    def refine(self, times: int) -> BeamMesh:
        """Return a mesh with each element divided into `times` equal elements, nodes numbered along each element."""
        x = np.asarray(self.nodes)
        points, number, pairs, of = [], {}, [], []

        def place(key: Any, where: np.ndarray) -> int:
            if key not in number:
                points.append(where)
                number[key] = len(points)
            return number[key]

        for e, (a, b) in enumerate(self.elements):
            for i in range(times):
                ends = [
                    place(
                        a if j == 0 else b if j == times else (e, j),
                        x[a - 1] + (x[b - 1] - x[a - 1]) * j / times,
                    )
                    for j in (i, i + 1)
                ]
                pairs.append((ends[0], ends[1]))
                of.append(e)
        sections = {
            name: self.element_values(name)[of] if getattr(self, name).ndim else getattr(self, name)
            for name in ("E", "I", "A", "rho", "I_z", "torsion")
            if getattr(self, name) is not None
        }
        return BeamMesh(nodes=np.array(points), elements=tuple(pairs), poisson=self.poisson, **sections)

    def node_map(self, times: int) -> dict[int, int]:
        """Return the map from node numbers to those of `refine(times)`."""
        new = np.asarray(self.refine(times).nodes)
        old = np.asarray(self.nodes)
        return {i + 1: int(np.argmin(np.sum((new - p) ** 2, axis=1))) + 1 for i, p in enumerate(old)}


def mesh_fault(nodes: np.ndarray, elements: tuple[tuple[int, int], ...]) -> str | None:
    """Return the first fault of a mesh as text, or None."""
    if nodes.ndim != 2 or nodes.shape[1] not in (2, 3):
        return f"nodes have shape {nodes.shape}; expected (n, 2) or (n, 3)"
    if not np.all(np.isfinite(nodes)):
        return "a node coordinate is not finite"
    n = len(nodes)
    for e, (a, b) in enumerate(elements, 1):
        if not (1 <= a <= n and 1 <= b <= n):
            return f"element {e} joins nodes {a} and {b}; expected node numbers from 1 to {n}"
        if np.linalg.norm(nodes[a - 1] - nodes[b - 1]) <= 1e-12:
            return f"element {e} from node {a} to node {b} has zero length"
    loose = sorted(set(range(1, n + 1)) - {i for pair in elements for i in pair})
    return f"node {loose[0]} belongs to no element" if loose else None


def components(count: int, elements: tuple[tuple[int, int], ...]) -> list[set[int]]:
    """Return the sets of connected nodes (counted from 1), for example the legs of a gear."""
    of = list(range(count + 1))

    def root(i: int) -> int:
        while of[i] != i:
            i = of[i]
        return i

    for a, b in elements:
        of[root(a)] = root(b)
    members: dict[int, set[int]] = {}
    for i in range(1, count + 1):
        members.setdefault(root(i), set()).add(i)
    return list(members.values())
