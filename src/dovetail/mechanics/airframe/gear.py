r"""Dynamics of a flexible landing gear on a rigid airframe: node kinematics and forces.

Speeds are the airframe's twist in body axes :math:`\xi = (v, \omega)` and the gear speeds :math:`\nu`. The absolute
velocity of a node in body axes is :math:`V_j = B_j\xi + \dot r_j` with the partial velocities

.. math:: B_j = \begin{pmatrix} 1 & -[\rho_j]_\times \\ 0 & 1 \end{pmatrix}, \qquad \rho_j = \rho_{j,0} + r_j .

`NodalGear` uses :math:`\nu = V_f`, the absolute speeds of the free nodal degrees of freedom. The mass matrix is then
constant, because interface nodes do not move relative to the body. `ModalGear` uses a few mode shapes only.

`SkidGear` and `WheelGear` build these models from their data.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.dimension import Dimension, dimension


class GearModel(eqx.Module):
    """Interface of a landing gear model to the airframe.

    Arrays (n, nd) hold translations and rotations of all nodes. The numbers are arrays, so gears of equal size use
    one compiled program.
    """

    nodes: np.ndarray  # (n, d) [m] undeformed, relative to the centre of gravity
    M: np.ndarray  # (n nd, n nd)
    K: np.ndarray
    C: np.ndarray
    weight: np.ndarray  # (n nd, d) M E: mass under gravity
    first_moment: np.ndarray  # (d,) [kg m] of the undeformed gear about the centre of gravity
    partials_at_rest: np.ndarray  # (n nd, d + turns) B of all nodes, undeformed
    mass: np.ndarray  # [kg]
    d: int = eqx.field(static=True)
    interface: tuple[int, ...] = eqx.field(
        static=True
    )  # nodes on the airframe, counted from 0; none for wheels
    fixed: tuple[int, ...] = eqx.field(static=True)  # their degrees of freedom fixed to the airframe, of n nd

    @property
    def dim(self) -> Dimension:
        """Plane or space."""
        return dimension(self.d)

    @property
    def nd(self) -> int:
        """Degrees of freedom per node."""
        return self.d + self.dim.turns

    @property
    def count(self) -> int:
        """Number of nodes."""
        return int(self.nodes.shape[0])

    @property
    def interface_mask(self) -> np.ndarray:
        """1 at degrees of freedom fixed to the airframe, else 0, (n, nd)."""
        mask = np.zeros(self.count * self.nd)
        mask[list(self.fixed)] = 1.0
        return mask.reshape(self.count, self.nd)

    @abstractmethod
    def mass_matrix(self, formulation: str) -> np.ndarray:
        """Return the gear's part of the mass matrix of the speeds, in the rows of a formulation."""

    @property
    @abstractmethod
    def shape_size(self) -> int:
        """Number of gear coordinates."""

    @property
    @abstractmethod
    def speed_size(self) -> int:
        """Number of gear speeds."""

    @abstractmethod
    def displacement(self, shape: jax.Array) -> jax.Array:
        """Return the deformation of all nodes, (n, nd)."""

    @abstractmethod
    def velocity(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        """Return the absolute velocities of all nodes in body axes, (n, nd)."""

    @abstractmethod
    def shape_rate(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        """Return the rate of the gear coordinates."""

    def rigid(self, twist: jax.Array, rho: jax.Array) -> jax.Array:
        """Return B xi for all nodes, (n, nd)."""
        v, w = twist[: self.d], twist[self.d :]
        turning = jnp.broadcast_to(w, (self.count, self.dim.turns))
        return jnp.concatenate([v + self.dim.cross(w, rho), turning], 1)

    def wrench(self, load: jax.Array, rho: jax.Array) -> jax.Array:
        """Return B^T of nodal loads (n, nd): resultant force and moment about the centre of gravity."""
        f, m = load[:, : self.d], load[:, self.d :]
        return jnp.concatenate([jnp.sum(f, 0), jnp.sum(self.dim.moment(rho, f) + m, 0)])

    def partials(self, rho: jax.Array) -> jax.Array:
        """Return B of all nodes, (n, nd, d + turns)."""
        top = jnp.concatenate(
            [jnp.broadcast_to(jnp.eye(self.d), (self.count, self.d, self.d)), self.dim.lever(rho)], 2
        )
        t = self.dim.turns
        bottom = jnp.broadcast_to(jnp.eye(self.nd)[self.d :], (self.count, t, self.nd))
        return jnp.concatenate([top, bottom], 1)

    @property
    def sizes(self) -> np.ndarray:
        """Scale of each gear coordinate relative to a metre, for the step error."""
        return np.ones(self.shape_size)

    def at_nodes(self, values: jax.Array, nodes: tuple[int, ...]) -> jax.Array:
        """Return vectors (m, d) at some nodes as loads on all nodes, (n, nd); repeated nodes are summed."""
        chosen = np.zeros((self.count, len(nodes)))
        chosen[list(nodes), np.arange(len(nodes))] = 1.0
        return jnp.pad(chosen @ values, ((0, 0), (0, self.nd - self.d)))

    def gravity(self, g: jax.Array) -> jax.Array:
        """Return the consistent weight of all nodes, (n, nd), under gravity g (d,) in body axes."""
        return jnp.asarray(self.weight @ g).reshape(self.count, self.nd)

    def weight_wrench(self, g: jax.Array, deformation: jax.Array) -> jax.Array:
        """Return force and moment of the gear's weight, the derivative of its potential."""
        centre = self.first_moment + self.weight.T @ deformation.ravel()
        return jnp.concatenate([self.mass * g, self.dim.moment(centre, g)])

    def elastic_energy(self, deformation: jax.Array) -> jax.Array:
        """Return the elastic energy [J]."""
        r = deformation.ravel()
        return r @ self.K @ r / 2


_lever = jax.jit(lambda d, nodes: dimension(d).lever(nodes), static_argnums=0)


def rigid_partials(nodes: np.ndarray) -> np.ndarray:
    """Return B (n, nd, d + turns) of nodes (n, d); in NumPy except the lever, which avoids many small compilations."""
    n, d = nodes.shape
    B = np.tile(np.eye(d + dimension(d).turns), (n, 1, 1))
    with jax.ensure_compile_time_eval():
        B[:, :d, d:] = _lever(d, nodes)
    return B


class NodalGear(GearModel):
    """Gear model with all nodal degrees of freedom."""

    free: tuple[int, ...] = eqx.field(static=True)  # free degrees of freedom, of n nd
    hinged: bool = eqx.field(static=True)

    @property
    def held(self) -> np.ndarray:
        """Degrees of freedom fixed to the airframe."""
        return np.array(self.fixed, int)

    @property
    def mask(self) -> np.ndarray:
        """1 at free degrees of freedom, else 0, (n, nd)."""
        return 1 - self.interface_mask

    @property
    def shape_size(self) -> int:
        return len(self.free)

    @property
    def speed_size(self) -> int:
        return len(self.free)

    @property
    def sizes(self) -> np.ndarray:
        # node spacing of the tubes is about 0.1 m, so rotations [rad] are ten times displacements [m]
        return np.where(np.array(self.free) % self.nd < self.d, 1.0, 10.0)

    def _spread(self, own: jax.Array) -> jax.Array:
        """Return the values of the free degrees of freedom at their nodes, arbitrary elsewhere.

        It is a gather, which compiles well.
        """
        place = np.zeros(self.count * self.nd, int)
        place[list(self.free)] = np.arange(len(self.free))
        return own[place].reshape(self.count, self.nd)

    def displacement(self, shape: jax.Array) -> jax.Array:
        return jnp.where(self.mask > 0, self._spread(shape), 0.0)

    def velocity(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        return jnp.where(self.mask > 0, self._spread(speed), self.rigid(twist, rho))

    def shape_rate(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        return speed - self.rigid(twist, rho).ravel()[np.array(self.free)]

    def mass_matrix(self, formulation: str) -> np.ndarray:
        """Return the mass matrix of twist and gear speeds; the published hinge omits the interface moment."""
        return np.asarray(self._speeds(formulation).T @ self.M @ self._speeds("consistent"))

    def _speeds(self, formulation: str) -> Any:
        """Return N of V = N (xi, nu): all node velocities from the speeds, at the undeformed nodes."""
        body = self.partials_at_rest * self.interface_mask.reshape(-1, 1)
        if formulation == "published" and self.hinged:
            body = body * (np.arange(self.nd) < self.d)
        own = np.eye(self.count * self.nd)[:, list(self.free)]
        join = np.concatenate if isinstance(body, np.ndarray) else jnp.concatenate
        return join([body, own], 1)

    def forces(
        self,
        formulation: str,
        twist: jax.Array,
        speed: jax.Array,
        rho: jax.Array,
        deformation: jax.Array,
        load: jax.Array,
        strut: jax.Array,
        g: jax.Array,
    ) -> jax.Array:
        """Return the right-hand side of twist and gear speeds, without the contribution of the airframe.

        `load` (n, nd) holds external nodal loads, `strut` (n, nd) strut forces on nodes; both in body axes.
        """
        w, dim, d = twist[self.d :], self.dim, self.d
        free, mask = np.array(self.free), self.mask
        V = self.velocity(twist, speed, rho)
        if formulation == "published":
            remainder = jnp.concatenate([dim.cross(w, V[:, :d]), dim.spin(w, V[:, d:])], 1)
            inner = self.K @ deformation.ravel() + self.C @ V.ravel() + self.M @ remainder.ravel()
            Q = load + self.gravity(g) - inner.reshape(self.count, self.nd)
            on_body = self.wrench(Q * (1 - mask), rho)
            if self.hinged:
                on_body = on_body.at[d:].set(0.0)
            return jnp.concatenate([on_body - self.wrench(strut, rho), (Q + strut).ravel()[free]])
        p: Any = (self.M @ V.ravel()).reshape(self.count, self.nd)
        turning = dim.cross(w, p[:, :d])
        rate = (V - self.rigid(twist, rho)) * mask
        inner = (self.K @ deformation.ravel() + self.C @ rate.ravel()).reshape(self.count, self.nd)
        Q = load + self.gravity(g) + strut - inner
        outer = self.wrench(load, rho) + self.weight_wrench(g, deformation)
        fixed: Any = (1 - mask[:, :d]) * turning
        momenta = dim.moment(V[:, :d], p[:, :d]) + dim.spin(w, p[:, d:]) + dim.moment(rho, fixed)
        inertia = jnp.concatenate([jnp.sum(fixed, 0), jnp.sum(momenta, 0)])
        own = (Q - jnp.pad(turning, ((0, 0), (0, dim.turns)))).ravel()[free]
        return jnp.concatenate([outer - self.wrench(Q * mask, rho) - inertia, own])

    def residual_loads(
        self,
        formulation: str,
        twist: jax.Array,
        speed: jax.Array,
        rate: jax.Array,
        rho: jax.Array,
        deformation: jax.Array,
        load: jax.Array,
        g: jax.Array,
    ) -> jax.Array:
        """Return inertia minus applied forces of all nodes (n, nd): the airframe's force on fixed nodes.

        `rate` is the rate of twist and gear speeds, `load` (n, nd) all nodal loads except those of the gear itself.
        """
        w, dim, d = twist[self.d :], self.dim, self.d
        V = self.velocity(twist, speed, rho)
        pushed = (self.M @ (self._speeds("consistent") @ rate)).reshape(self.count, self.nd)
        if formulation == "published":
            remainder = jnp.concatenate([dim.cross(w, V[:, :d]), dim.spin(w, V[:, d:])], 1)
            inner = self.K @ deformation.ravel() + self.C @ V.ravel() + self.M @ remainder.ravel()
            return jnp.asarray(pushed + inner.reshape(self.count, self.nd) - load - self.gravity(g))
        p: Any = (self.M @ V.ravel()).reshape(self.count, self.nd)
        stretching = ((V - self.rigid(twist, rho)) * self.mask).ravel()
        inner = (self.K @ deformation.ravel() + self.C @ stretching).reshape(self.count, self.nd)
        turning = jnp.pad(dim.cross(w, p[:, :d]), ((0, 0), (0, dim.turns)))
        loads: jax.Array = pushed + turning + inner - load - self.gravity(g)
        return loads

    def damping_power(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        """Return the power [W] of the gear damping, zero or negative."""
        rate = ((self.velocity(twist, speed, rho) - self.rigid(twist, rho)) * self.mask).ravel()
        return -rate @ self.C @ rate

    def implicit(
        self,
        formulation: str,
        g: jax.Array,
        rho: jax.Array,
        strut_blocks: jax.Array,
        contact_blocks: jax.Array,
        nodes_strut: tuple[int, ...],
        nodes_contact: tuple[int, ...],
    ) -> jax.Array:
        """Return the terms of (1 - gJ) added to the mass matrix, (size, size); blocks (m, d, d) act on translations."""
        nd, free = self.nd, np.array(self.free)
        X = (g * self.C + g**2 * self.K)[np.ix_(np.arange(self.count * nd), free)]
        Bf = self.partials(rho).reshape(self.count * nd, nd)[free]
        Xs = self._blocks(strut_blocks, nodes_strut)
        on_body = self._on_body(formulation, X, Bf) - Bf.T @ Xs
        own = X[free] + Xs
        contact = self._blocks(contact_blocks, nodes_contact)
        top = jnp.concatenate([-on_body @ Bf, on_body], 1)
        return jnp.concatenate([top, jnp.concatenate([-own @ Bf, own + contact], 1)])

    def _on_body(self, formulation: str, X: jax.Array, Bf: jax.Array) -> jax.Array:
        """Return the rows of the twist for internal forces X (n nd, ...) of all nodes."""
        if formulation == "consistent":
            return -Bf.T @ X[np.array(self.free)]
        held = self.held
        Bi = self.partials_at_rest[held]
        if self.hinged:
            Bi = Bi * (np.arange(self.nd) < self.d)
        rows: jax.Array = Bi.T @ X[held]
        return rows

    def _blocks(self, blocks: jax.Array, nodes: tuple[int, ...]) -> jax.Array:
        """Return blocks (m, d, d) at the translations of nodes as a matrix of the gear speeds."""
        size = len(self.free)
        place = {f: i for i, f in enumerate(self.free)}
        if not len(nodes):
            return jnp.zeros((size, size))
        each, of = np.unique(np.array(nodes), return_inverse=True)  # a node can be repeated
        summed = jnp.einsum("ej,jik->eik", np.eye(len(each))[:, of], blocks)
        where = np.full(
            (size, size), summed.size
        )  # index of the appended zero: a gather, which compiles well
        for e, j in enumerate(each):
            index = np.array([place[j * self.nd + i] for i in range(self.d)])
            where[np.ix_(index, index)] = e * self.d**2 + np.arange(self.d**2).reshape(self.d, self.d)
        return jnp.append(summed.ravel(), 0.0)[where]

    def stiff_forces(
        self,
        formulation: str,
        change: jax.Array,
        rho: jax.Array,
        strut_push: jax.Array,
        contact_push: jax.Array,
        nodes_strut: tuple[int, ...],
        nodes_contact: tuple[int, ...],
    ) -> jax.Array:
        """Return forces of a shape change and of nodal forces (m, d), in the rows of twist and gear speeds."""
        nd, free = self.nd, np.array(self.free)
        Bf = self.partials(rho).reshape(self.count * nd, nd)[free]
        inner: Any = -self.K[:, free] @ change
        on_body = self._on_body(formulation, inner, Bf)
        by_strut = self.at_nodes(strut_push, nodes_strut).ravel()[free]
        contact = self.at_nodes(contact_push, nodes_contact)
        own = inner[free] + by_strut + contact.ravel()[free]
        return jnp.concatenate([on_body - Bf.T @ by_strut, own])

    def node_change(
        self, twist_change: jax.Array, speed_change: jax.Array, nodes: tuple[int, ...], rho: jax.Array
    ) -> jax.Array:
        """Return changes of the absolute node velocities (m, d) in body axes for changes of the speeds."""
        V = self.velocity(twist_change, speed_change, rho)
        return V[np.array(nodes), : self.d]
