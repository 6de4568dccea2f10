r"""Landing gears built from data: skids of beams, or wheels on oleos.

A skid gear is a mesh whose interface nodes are fixed to the airframe or hinged on it. The upper frequency of the
Rayleigh damping is the highest frequency of the mesh unless given. `mode_count` retains that number of
low-frequency shapes (hinge rotations included) and static shapes for the loaded nodes; 0 retains all degrees of
freedom.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import OptionalParameter, Parameter, Part, choice, count, kind, parameter
from dovetail.core.arrays_file import read_arrays
from dovetail.core.errors import ParameterError
from dovetail.mechanics.airframe.gear import GearModel, NodalGear, rigid_partials
from dovetail.mechanics.airframe.modal_gear import ModalGear
from dovetail.mechanics.beam import BeamMesh, components, modes, rayleigh, slow_basis
from dovetail.mechanics.dimension import dimension


def _numbers(values: Any) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


class LandingGear(Part):
    """Landing gear data from which a gear model is built. Nodes are counted from 1."""

    @property
    @abstractmethod
    def places(self) -> jax.Array:
        """Undeformed nodes (n, d) [m], in the axes of the input data."""

    @property
    def elements(self) -> tuple[tuple[int, int], ...]:
        """Pairs of nodes connected by a tube, counted from 0."""
        return ()

    @property
    @abstractmethod
    def contact_nodes(self) -> tuple[int, ...]:
        """Contact nodes, counted from 0."""

    @property
    @abstractmethod
    def radii(self) -> jax.Array:
        """Radius [m] of each contact node."""

    @abstractmethod
    def model(self, offset: np.ndarray, strut_nodes: tuple[int, ...]) -> GearModel:
        """Return the gear model; `offset` is the centre of gravity in the axes of the input data."""


@kind("skid-gear")
class SkidGear(LandingGear):
    """Skid gear of tubes, fixed to the airframe or hinged on it at the interface nodes."""

    mesh: BeamMesh
    contact: tuple[int, ...] = eqx.field(static=True, converter=_numbers)
    interface: tuple[int, ...] = eqx.field(static=True, converter=_numbers)
    joint: str = choice("hinged", "fixed", about="joint of the interface nodes", default="hinged")
    radius: Parameter = parameter("m", "radius of the tubes", default=0.01, at_least=0.0)
    lower_omega: Parameter = parameter(
        "rad/s", "lower frequency of the Rayleigh damping, w1", default=0.0, at_least=0.0
    )
    lower_ratio: Parameter = parameter("1", "damping ratio at w1, xi1", default=0.0, at_least=0.0)
    upper_omega: OptionalParameter = parameter(
        "rad/s", "upper frequency, w2 (default: highest of the mesh)", default=None
    )
    upper_ratio: Parameter = parameter("1", "damping ratio at w2, xi2", default=0.0, at_least=0.0)
    mode_count: int = count("number of retained shapes; 0: all degrees of freedom", default=0)
    min_compliance: Parameter = parameter(
        "m/N",
        "smallest compliance of the static shapes retained in a reduced gear",
        default=0.0,
        at_least=0.0,
    )
    matrices: str = eqx.field(
        default="", static=True
    )  # NumPy file with M, C, K, used instead of the matrices of the mesh

    def __check_init__(self) -> None:
        n = self.mesh.nodes.shape[0]
        for name in ("contact", "interface"):
            wrong = [i for i in getattr(self, name) if not 1 <= i <= n]
            if wrong or not getattr(self, name):
                raise ParameterError(
                    f"SkidGear.{name}: got {getattr(self, name)}; expected nodes from 1 to {n}"
                )
        if set(self.contact) & set(self.interface):
            raise ParameterError(
                "SkidGear.contact: an interface node cannot be a contact node; add a node next to it"
            )
        for leg in components(n, self.mesh.elements):
            if not leg & set(self.interface):
                raise ParameterError(
                    f"SkidGear.interface: nodes {sorted(leg)} are connected but not joined to the airframe; "
                    "add one of them to interface"
                )

    @property
    def places(self) -> jax.Array:
        return self.mesh.nodes

    @property
    def elements(self) -> tuple[tuple[int, int], ...]:
        return tuple((a - 1, b - 1) for a, b in self.mesh.elements)

    @property
    def contact_nodes(self) -> tuple[int, ...]:
        return tuple(i - 1 for i in self.contact)

    @property
    def radii(self) -> jax.Array:
        return jnp.broadcast_to(self.radius, (len(self.contact),))

    def fixed_freedoms(self) -> np.ndarray:
        """Return the degrees of freedom fixed to the airframe. A hinge in space rotates about the forward axis only."""
        nd, d = self.mesh.freedoms, self.mesh.dimension
        fixed = range(nd) if self.joint == "fixed" else [i for i in range(nd) if i != d]
        return np.array([(i - 1) * nd + k for i in self.interface for k in fixed])

    def structure(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return mass, damping and stiffness matrix of all degrees of freedom."""
        if self.matrices:
            return _read_matrices(self.matrices, self.mesh.nodes.shape[0] * self.mesh.freedoms)
        M, K = self.mesh.assemble()
        a0, a1 = 0.0, 0.0
        if float(self.upper_ratio) > 0 or float(self.lower_ratio) > 0:
            top = (
                float(modes(M, K, self.fixed_freedoms())[0][-1])
                if self.upper_omega is None
                else self.upper_omega
            )
            a0, a1 = rayleigh(
                float(self.lower_omega), float(self.lower_ratio), float(top), float(self.upper_ratio)
            )
        return M, a0 * M + a1 * K, K

    def model(self, offset: np.ndarray, strut_nodes: tuple[int, ...]) -> GearModel:
        M, C, K = self.structure()
        nodes = np.asarray(self.mesh.nodes) - offset
        common = gear_constants(nodes, M, C, K, self.mesh.mass() if not self.matrices else None)
        held = self.fixed_freedoms()
        common |= {"interface": tuple(i - 1 for i in self.interface), "fixed": tuple(int(i) for i in held)}
        if self.mode_count == 0:
            free = tuple(int(i) for i in np.setdiff1d(np.arange(len(M)), held))
            return NodalGear(**common, free=free, hinged=self.joint == "hinged")
        nd, d = self.mesh.freedoms, self.mesh.dimension
        loaded = [j * nd + i for j in (*self.contact_nodes, *strut_nodes) for i in range(d)]
        basis, _ = slow_basis(M, K, held, np.array(loaded), self.mode_count, float(self.min_compliance))
        return ModalGear(**common, basis=basis)


@kind("wheel-gear")
class WheelGear(LandingGear):
    """Wheels that slide along an axis in the airframe, each on an oleo: define the struts with `kind = "oleo"`.

    The tyre is the contact: `radius` is its radius, the contact law has its stiffness and damping. Wheels do not
    roll; the friction law represents their rolling resistance.
    """

    nodes: Parameter = parameter("m", "wheel centres with the struts extended, (n, 2) or (n, 3)")
    axis: Parameter = parameter("1", "direction of travel of the wheels, one row each")
    wheel_mass: Parameter = parameter("kg", "unsprung mass of each wheel", above=0.0)
    radius: Parameter = parameter("m", "radius of the tyres", above=0.0)

    @property
    def places(self) -> jax.Array:
        return self.nodes

    @property
    def contact_nodes(self) -> tuple[int, ...]:
        return tuple(range(self.nodes.shape[0]))

    @property
    def radii(self) -> jax.Array:
        return jnp.broadcast_to(self.radius, (self.nodes.shape[0],))

    def model(self, offset: np.ndarray, strut_nodes: tuple[int, ...]) -> GearModel:
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
) -> dict[str, Any]:
    """Return the arrays common to all gear models."""
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
            raise ParameterError(
                f"SkidGear.matrices: {name} has shape {part.shape}; expected ({size}, {size}), as the mesh"
            )
    return matrices["M"], matrices["C"], matrices["K"]
