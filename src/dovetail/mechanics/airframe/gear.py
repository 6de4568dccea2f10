r"""A flexible landing gear on a rigid airframe: its nodes, how they move and which forces they pass on.

Speeds are the airframe's twist in body axes :math:`\xi = (v, \omega)` and the gear's own :math:`\nu`. A node's absolute
velocity in body axes is :math:`V_j = B_j\xi + \dot r_j` with the partial velocities

.. math:: B_j = \begin{pmatrix} 1 & -[\rho_j]_\times \\ 0 & 1 \end{pmatrix}, \qquad \rho_j = \rho_{j,0} + r_j .

`NodalGear` takes :math:`\nu = V_f`, the absolute speeds of the free node freedoms: then the mass matrix is constant,
because interface nodes do not move in the body. `ModalGear` keeps a few shapes only; see there.

Both are built once from data by `SkidGear` or `WheelGear`.
"""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.dimension import Dimension, dimension


class GearModel(eqx.Module):
    """What an airframe asks of its gear; its arrays follow from data, so that gears of one shape share a program.

    Arrays (n, nd) hold translations and rotations of all nodes.
    """

    nodes: np.ndarray  # (n, d) [m] undeformed, relative to the centre of gravity
    M: np.ndarray  # (n nd, n nd)
    K: np.ndarray
    C: np.ndarray
    weight: np.ndarray  # (n nd, d) M E: mass that gravity acts on
    first_moment: np.ndarray  # (d,) [kg m] of the undeformed gear about the centre of gravity
    partials_at_rest: np.ndarray  # (n nd, d + turns) B of all nodes where they are undeformed
    mass: np.ndarray  # [kg]
    d: int = eqx.field(static=True)
    interface: tuple[int, ...] = eqx.field(static=True)  # nodes on the airframe, from 0; none for wheels
    fixed: tuple[int, ...] = eqx.field(static=True)  # freedoms of theirs that follow the airframe, of n nd

    @property
    def dim(self) -> Dimension:
        """Plane or space."""
        return dimension(self.d)

    @property
    def nd(self) -> int:
        """Freedoms of a node."""
        return self.d + self.dim.turns

    @property
    def count(self) -> int:
        """Number of nodes."""
        return self.nodes.shape[0]

    @property
    def held_mask(self) -> np.ndarray:
        """One at freedoms that follow the airframe, (n, nd)."""
        mask = np.zeros(self.count * self.nd)
        mask[list(self.fixed)] = 1.0
        return mask.reshape(self.count, self.nd)

    @property
    @abstractmethod
    def shape_size(self) -> int:
        """Number of the gear's coordinates."""

    @property
    @abstractmethod
    def speed_size(self) -> int:
        """Number of the gear's own speeds."""

    @abstractmethod
    def displacement(self, shape: jax.Array) -> jax.Array:
        """Deformation of all nodes, (n, nd)."""

    @abstractmethod
    def velocity(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        """Absolute velocities of all nodes in body axes, (n, nd)."""

    @abstractmethod
    def shape_rate(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        """Rate of the gear's coordinates."""

    def rigid(self, twist: jax.Array, rho: jax.Array) -> jax.Array:
        """B xi for all nodes, (n, nd)."""
        v, w = twist[: self.d], twist[self.d :]
        turning = jnp.broadcast_to(w, (self.count, self.dim.turns))
        return jnp.concatenate([v + self.dim.cross(w, rho), turning], 1)

    def wrench(self, load: jax.Array, rho: jax.Array) -> jax.Array:
        """B^T of nodal loads (n, nd): force and moment on the whole about the centre of gravity."""
        f, m = load[:, : self.d], load[:, self.d :]
        return jnp.concatenate([jnp.sum(f, 0), jnp.sum(self.dim.moment(rho, f) + m, 0)])

    def partials(self, rho: jax.Array) -> jax.Array:
        """B of all nodes, (n, nd, d + turns)."""
        top = jnp.concatenate(
            [jnp.broadcast_to(jnp.eye(self.d), (self.count, self.d, self.d)), self.dim.lever(rho)], 2
        )
        t = self.dim.turns
        bottom = jnp.broadcast_to(jnp.eye(self.nd)[self.d :], (self.count, t, self.nd))
        return jnp.concatenate([top, bottom], 1)

    @property
    def sizes(self) -> np.ndarray:
        """How large the gear's coordinates are beside a metre, for the error of a step."""
        return np.ones(self.shape_size)

    def at_nodes(self, values: jax.Array, nodes: tuple[int, ...]) -> jax.Array:
        """Vectors (m, d) at some nodes as loads on all, (n, nd), added where a node is named twice."""
        chosen = np.zeros((self.count, len(nodes)))
        chosen[list(nodes), np.arange(len(nodes))] = 1.0
        return jnp.pad(chosen @ values, ((0, 0), (0, self.nd - self.d)))

    def gravity(self, g: jax.Array) -> jax.Array:
        """Consistent weight of all nodes, (n, nd), under gravity g (d,) in body axes."""
        return jnp.asarray(self.weight @ g).reshape(self.count, self.nd)

    def weight_wrench(self, g: jax.Array, deformation: jax.Array) -> jax.Array:
        """Force and moment of the gear's weight, the derivative of one potential."""
        centre = self.first_moment + self.weight.T @ deformation.ravel()
        return jnp.concatenate([self.mass * g, self.dim.moment(centre, g)])

    def elastic_energy(self, deformation: jax.Array) -> jax.Array:
        """[J]"""
        r = deformation.ravel()
        return r @ self.K @ r / 2


_lever = jax.jit(lambda d, nodes: dimension(d).lever(nodes), static_argnums=0)


def rigid_partials(nodes: np.ndarray) -> np.ndarray:
    """B of nodes (n, d), (n, nd, d + turns), by NumPy but for the lever: else a dozen small programs."""
    n, d = nodes.shape
    B = np.tile(np.eye(d + dimension(d).turns), (n, 1, 1))
    with jax.ensure_compile_time_eval():
        B[:, :d, d:] = _lever(d, nodes)
    return B


class NodalGear(GearModel):
    """All freedoms kept; see the module."""

    free: tuple[int, ...] = eqx.field(static=True)  # freedoms with own speeds, of n nd
    hinged: bool = eqx.field(static=True)

    @property
    def held(self) -> np.ndarray:
        """Freedoms that follow the airframe."""
        return np.array(self.fixed, int)

    @property
    def mask(self) -> np.ndarray:
        """One at free freedoms, (n, nd)."""
        return 1 - self.held_mask

    @property
    def shape_size(self):
        return len(self.free)

    @property
    def speed_size(self):
        return len(self.free)

    @property
    def sizes(self):
        # a tube turns by ten times what it moves: a tenth of a metre is between its nodes
        return np.where(np.array(self.free) % self.nd < self.d, 1.0, 10.0)

    def _spread(self, own):
        """Values of the free freedoms at their nodes, anything elsewhere: a gather, which compiles well."""
        place = np.zeros(self.count * self.nd, int)
        place[list(self.free)] = np.arange(len(self.free))
        return own[place].reshape(self.count, self.nd)

    def displacement(self, shape):
        return jnp.where(self.mask > 0, self._spread(shape), 0.0)

    def velocity(self, twist, speed, rho):
        return jnp.where(self.mask > 0, self._spread(speed), self.rigid(twist, rho))

    def shape_rate(self, twist, speed, rho):
        return speed - self.rigid(twist, rho).ravel()[np.array(self.free)]

    def mass_matrix(self, formulation: str) -> np.ndarray:
        """Of twist and own speeds; the published hinge leaves the moment of the interface out of the rows."""
        return np.asarray(self._speeds(formulation).T @ self.M @ self._speeds("consistent"))

    def _speeds(self, formulation):
        """V = N (xi, nu): all node velocities from the speeds, at the undeformed nodes."""
        body = self.partials_at_rest * self.held_mask.reshape(-1, 1)
        if formulation == "printed" and self.hinged:
            body = body * (np.arange(self.nd) < self.d)
        own = np.eye(self.count * self.nd)[:, list(self.free)]
        join = np.concatenate if isinstance(body, np.ndarray) else jnp.concatenate
        return join([body, own], 1)

    def forces(self, formulation, twist, speed, rho, deformation, load, strut, g):
        """Right-hand side of the rows of twist and own speeds, the airframe's own part left out.

        `load` (n, nd) are outer nodal loads, `strut` (n, nd) what struts put on nodes; both in body axes.
        """
        w, dim, d = twist[self.d :], self.dim, self.d
        free, mask = np.array(self.free), self.mask
        V = self.velocity(twist, speed, rho)
        if formulation == "printed":
            remainder = jnp.concatenate([dim.cross(w, V[:, :d]), dim.spin(w, V[:, d:])], 1)
            inner = self.K @ deformation.ravel() + self.C @ V.ravel() + self.M @ remainder.ravel()
            Q = load + self.gravity(g) - inner.reshape(self.count, self.nd)
            on_body = self.wrench(Q * (1 - mask), rho)
            if self.hinged:
                on_body = on_body.at[d:].set(0.0)
            return jnp.concatenate([on_body - self.wrench(strut, rho), (Q + strut).ravel()[free]])
        p = (self.M @ V.ravel()).reshape(self.count, self.nd)
        turning = dim.cross(w, p[:, :d])
        rate = (V - self.rigid(twist, rho)) * mask
        inner = (self.K @ deformation.ravel() + self.C @ rate.ravel()).reshape(self.count, self.nd)
        Q = load + self.gravity(g) + strut - inner
        outer = self.wrench(load, rho) + self.weight_wrench(g, deformation)
        fixed = (1 - mask[:, :d]) * turning
        momenta = dim.moment(V[:, :d], p[:, :d]) + dim.spin(w, p[:, d:]) + dim.moment(rho, fixed)
        inertia = jnp.concatenate([jnp.sum(fixed, 0), jnp.sum(momenta, 0)])
        own = (Q - jnp.pad(turning, ((0, 0), (0, dim.turns)))).ravel()[free]
        return jnp.concatenate([outer - self.wrench(Q * mask, rho) - inertia, own])

    def left_over(self, formulation, twist, speed, rate, rho, deformation, load, g) -> jax.Array:
        """Inertia less known forces in the rows of all nodes (n, nd): what the airframe must put on held ones.

        `rate` is that of twist and own speeds, `load` (n, nd) all that acts on nodes but the gear itself.
        """
        w, dim, d = twist[self.d :], self.dim, self.d
        V = self.velocity(twist, speed, rho)
        pushed = (self.M @ (self._speeds("consistent") @ rate)).reshape(self.count, self.nd)
        if formulation == "printed":
            remainder = jnp.concatenate([dim.cross(w, V[:, :d]), dim.spin(w, V[:, d:])], 1)
            inner = self.K @ deformation.ravel() + self.C @ V.ravel() + self.M @ remainder.ravel()
            return pushed + inner.reshape(self.count, self.nd) - load - self.gravity(g)
        p = (self.M @ V.ravel()).reshape(self.count, self.nd)
        stretching = ((V - self.rigid(twist, rho)) * self.mask).ravel()
        inner = (self.K @ deformation.ravel() + self.C @ stretching).reshape(self.count, self.nd)
        turning = jnp.pad(dim.cross(w, p[:, :d]), ((0, 0), (0, dim.turns)))
        return pushed + turning + inner - load - self.gravity(g)

    def damping_power(self, twist, speed, rho) -> jax.Array:
        """Power [W] of the gear's own damping, zero or negative."""
        rate = ((self.velocity(twist, speed, rho) - self.rigid(twist, rho)) * self.mask).ravel()
        return -rate @ self.C @ rate

    def implicit(self, formulation, g, rho, strut_blocks, contact_blocks, nodes_strut, nodes_contact):
        """What (1 - gJ) adds to the mass matrix, (size, size); blocks (m, d, d) act on a node's own translation."""
        nd, free = self.nd, np.array(self.free)
        X = (g * self.C + g**2 * self.K)[np.ix_(np.arange(self.count * nd), free)]
        Bf = self.partials(rho).reshape(self.count * nd, nd)[free]
        Xs = self._blocks(strut_blocks, nodes_strut)
        on_body = self._on_body(formulation, X, Bf) - Bf.T @ Xs
        own = X[free] + Xs
        contact = self._blocks(contact_blocks, nodes_contact)
        top = jnp.concatenate([-on_body @ Bf, on_body], 1)
        return jnp.concatenate([top, jnp.concatenate([-own @ Bf, own + contact], 1)])

    def _on_body(self, formulation, X, Bf):
        """Rows of the twist for inner forces X (n nd, ...) of all nodes."""
        if formulation == "consistent":
            return -Bf.T @ X[np.array(self.free)]
        held = self.held
        Bi = self.partials_at_rest[held]
        if self.hinged:
            Bi = Bi * (np.arange(self.nd) < self.d)
        return Bi.T @ X[held]

    def _blocks(self, blocks, nodes):
        """Blocks (m, d, d) at the translations of nodes, as a matrix of own speeds."""
        size = len(self.free)
        place = {f: i for i, f in enumerate(self.free)}
        if not len(nodes):
            return jnp.zeros((size, size))
        each, of = np.unique(np.array(nodes), return_inverse=True)  # a node may be named twice
        summed = jnp.einsum("ej,jik->eik", np.eye(len(each))[:, of], blocks)
        where = np.full(
            (size, size), summed.size
        )  # of a last entry that is zero: a gather, which compiles well
        for e, j in enumerate(each):
            index = np.array([place[j * self.nd + i] for i in range(self.d)])
            where[np.ix_(index, index)] = e * self.d**2 + np.arange(self.d**2).reshape(self.d, self.d)
        return jnp.append(summed.ravel(), 0.0)[where]

    def stiff_forces(self, formulation, change, rho, strut_push, contact_push, nodes_strut, nodes_contact):
        """Forces that a change of shape causes, and given pushes (m, d) on nodes, on the rows of twist and own."""
        nd, free = self.nd, np.array(self.free)
        Bf = self.partials(rho).reshape(self.count * nd, nd)[free]
        inner = -self.K[:, free] @ change
        on_body = self._on_body(formulation, inner, Bf)
        by_strut = self.at_nodes(strut_push, nodes_strut).ravel()[free]
        contact = self.at_nodes(contact_push, nodes_contact)
        own = inner[free] + by_strut + contact.ravel()[free]
        return jnp.concatenate([on_body - Bf.T @ by_strut, own])

    def node_change(self, twist_change, speed_change, nodes, rho):
        """Changes of the absolute velocities of nodes (m, d) in body axes under changes of the speeds."""
        V = self.velocity(twist_change, speed_change, rho)
        return V[np.array(nodes), : self.d]
