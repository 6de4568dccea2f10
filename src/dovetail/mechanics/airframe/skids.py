r"""Landing gears from data: skids of beams, or wheels on oleos.

A skid gear is a mesh whose interface nodes are fixed to or hinged on the airframe. Rayleigh damping is fixed at the
highest frequency of the mesh unless one is given. `modes` keeps that many slow shapes (hinge rotations included) and
static shapes for the loaded nodes; zero keeps every freedom.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, choice, count, kind, parameter
from dovetail.core.arrays_file import read_arrays
from dovetail.core.errors import ParameterError
from dovetail.mechanics.airframe.gear import GearModel, NodalGear, rigid_partials
from dovetail.mechanics.airframe.modal_gear import ModalGear
from dovetail.mechanics.beam import BeamMesh, components, modes, rayleigh, slow_basis
from dovetail.mechanics.dimension import dimension


def _numbers(values: Any) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


class LandingGear(Part):
    """Where a gear model comes from. Nodes are counted from 1."""

    @property
    @abstractmethod
    def places(self) -> jax.Array:
        """Undeformed nodes (n, d) [m], in the axes of the data."""

    @property
    def joined(self) -> tuple[tuple[int, int], ...]:
        """Pairs of nodes that a tube joins, counted from 0; none where nothing does."""
        return ()

    @property
    @abstractmethod
    def contact_nodes(self) -> tuple[int, ...]:
        """Nodes that can touch something, counted from 0."""

    @property
    @abstractmethod
    def radii(self) -> jax.Array:
        """Radius [m] of each of them."""

    @abstractmethod
    def model(self, offset: np.ndarray, strut_nodes: tuple[int, ...]) -> GearModel:
        """Its dynamics; `offset` is where the centre of gravity is in the axes of the data."""


@kind("skid-gear")
class SkidGear(LandingGear):
    """Tubes on the airframe, fixed or hinged at some nodes."""

    mesh: BeamMesh
    contact: tuple[int, ...] = eqx.field(static=True, converter=_numbers)
    interface: tuple[int, ...] = eqx.field(static=True, converter=_numbers)
    joint: str = choice("hinged", "fixed", about="of the interface nodes", default="hinged")
    radius: jax.Array = parameter("m", "of the tubes", default=0.01, at_least=0.0)
    lower_omega: jax.Array = parameter("rad/s", "w1 of the Rayleigh damping", default=0.0, at_least=0.0)
    lower_ratio: jax.Array = parameter("1", "xi1", default=0.0, at_least=0.0)
    upper_omega: jax.Array | None = parameter("rad/s", "w2; the mesh's highest if not given", default=None)
    upper_ratio: jax.Array = parameter("1", "xi2", default=0.0, at_least=0.0)
    modes: int = count("shapes to keep; 0 for all freedoms", default=0)
    least_give: jax.Array = parameter(
        "m/N", "static shapes that give less are left out of a reduced gear", default=0.0, at_least=0.0
    )
    matrices: str = eqx.field(
        default="", static=True
    )  # file with M, C, K (NumPy), in place of the mesh's own

    def __check_init__(self):
        n = self.mesh.nodes.shape[0]
        for name in ("contact", "interface"):
            wrong = [i for i in getattr(self, name) if not 1 <= i <= n]
            if wrong or not getattr(self, name):
                raise ParameterError(f"SkidGear.{name}: got {getattr(self, name)}; name nodes from 1 to {n}")
        if set(self.contact) & set(self.interface):
            raise ParameterError("SkidGear.contact: an interface node cannot touch; put a node beside it")
        for leg in components(n, self.mesh.elements):
            if not leg & set(self.interface):
                raise ParameterError(
                    f"SkidGear: nodes {sorted(leg)} hang together but not on the airframe; make one an interface"
                )

    @property
    def places(self):
        return self.mesh.nodes

    @property
    def joined(self):
        return tuple((a - 1, b - 1) for a, b in self.mesh.elements)

    @property
    def contact_nodes(self):
        return tuple(i - 1 for i in self.contact)

    @property
    def radii(self):
        return jnp.broadcast_to(self.radius, (len(self.contact),))

    def held(self) -> np.ndarray:
        """Freedoms that follow the airframe. A hinge in space turns about the forward axis only."""
        nd, d = self.mesh.freedoms, self.mesh.dimension
        fixed = range(nd) if self.joint == "fixed" else [i for i in range(nd) if i != d]
        return np.array([(i - 1) * nd + k for i in self.interface for k in fixed])

    def structure(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mass, damping and stiffness of all freedoms."""
        if self.matrices:
            return _read_matrices(self.matrices, self.mesh.nodes.shape[0] * self.mesh.freedoms)
        M, K = self.mesh.assemble()
        a0, a1 = 0.0, 0.0
        if float(self.upper_ratio) > 0 or float(self.lower_ratio) > 0:
            top = float(modes(M, K, self.held())[0][-1]) if self.upper_omega is None else self.upper_omega
            a0, a1 = rayleigh(
                float(self.lower_omega), float(self.lower_ratio), float(top), float(self.upper_ratio)
            )
        return M, a0 * M + a1 * K, K

    def model(self, offset, strut_nodes):
        M, C, K = self.structure()
        nodes = np.asarray(self.mesh.nodes) - offset
        common = gear_constants(nodes, M, C, K, self.mesh.mass() if not self.matrices else None)
        held = self.held()
        common |= {"interface": tuple(i - 1 for i in self.interface), "fixed": tuple(int(i) for i in held)}
        if self.modes == 0:
            free = tuple(int(i) for i in np.setdiff1d(np.arange(len(M)), held))
            return NodalGear(**common, free=free, hinged=self.joint == "hinged")
        nd, d = self.mesh.freedoms, self.mesh.dimension
        loaded = [j * nd + i for j in (*self.contact_nodes, *strut_nodes) for i in range(d)]
        basis, _ = slow_basis(M, K, held, np.array(loaded), self.modes, float(self.least_give))
        return ModalGear(**common, basis=basis)


@kind("wheel-gear")
class WheelGear(LandingGear):
    """Wheels that slide along an axis in the airframe, each on an oleo: give the struts with `kind = "oleo"`.

    The tyre is the contact: its radius here, its stiffness and damping in the contact law. Wheels do not roll: what
    they are free to do is in the friction.
    """

    nodes: jax.Array = parameter("m", "wheel centres with the struts extended, (n, 2) or (n, 3)")
    axis: jax.Array = parameter("1", "direction in which a wheel moves, one row each")
    wheel_mass: jax.Array = parameter("kg", "unsprung mass of each wheel", above=0.0)
    radius: jax.Array = parameter("m", "of the tyres", above=0.0)

    @property
    def places(self):
        return self.nodes

    @property
    def contact_nodes(self):
        return tuple(range(self.nodes.shape[0]))

    @property
    def radii(self):
        return jnp.broadcast_to(self.radius, (self.nodes.shape[0],))

    def model(self, offset, strut_nodes):
        n, d = self.nodes.shape
        nd = d + dimension(d).turns
        mass = np.broadcast_to(np.asarray(self.wheel_mass), (n,))
        M = np.zeros((n * nd, n * nd))
        basis = np.zeros((n * nd, n))
        for j in range(n):
            at = slice(j * nd, j * nd + d)
            M[at, at] = mass[j] * np.eye(d)
            direction = np.asarray(self.axis)[j]
            basis[at, j] = direction / np.linalg.norm(direction)
        zero = np.zeros_like(M)
        common = gear_constants(np.asarray(self.nodes) - offset, M, zero, zero, float(mass.sum()))
        common |= {"interface": (), "fixed": ()}
        return ModalGear(**common, basis=basis)


def gear_constants(
    nodes: np.ndarray, M: np.ndarray, C: np.ndarray, K: np.ndarray, mass: float | None
) -> dict:
    """Arrays that every gear model holds."""
    n, d = nodes.shape
    dim = dimension(d)
    nd = d + dim.turns
    E = np.tile(np.eye(nd)[:, :d], (n, 1))
    weight = M @ E
    total = float(np.trace(E.T @ weight)) / d if mass is None else mass
    # the first moment S with w x S = E^T M B w, exact for the consistent mass of straight elements
    partials = rigid_partials(nodes).reshape(n * nd, nd)
    swept = weight.T @ partials[:, d:]  # lever(S)
    if d == 2:
        moment = np.array([swept[1, 0], -swept[0, 0]])
    else:
        moment = (
            np.array([swept[1, 2] - swept[2, 1], swept[2, 0] - swept[0, 2], swept[0, 1] - swept[1, 0]]) / 2
        )
    return {
        "nodes": nodes,
        "M": M,
        "K": K,
        "C": C,
        "weight": weight,
        "first_moment": moment,
        "partials_at_rest": partials,
        "mass": np.asarray(total),
        "d": d,
    }


def _read_matrices(file: str, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrices = read_arrays(file, ("M", "C", "K"), "matrices")
    for name, part in matrices.items():
        if part.shape != (size, size):
            raise ParameterError(f"SkidGear.matrices: {name} is {part.shape}; the mesh has {size} freedoms")
    return matrices["M"], matrices["C"], matrices["K"]
