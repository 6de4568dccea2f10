r"""Modally reduced gear: the amplitudes of a few shapes of the full gear are the coordinates.

With :math:`r = \Phi\eta` the gear speeds are :math:`\nu = \dot\eta`. The inertia neglects the deformation, so the mass
matrix is constant as well. The contact points include the deformation.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.airframe.gear import GearModel


class ModalGear(GearModel):
    """Gear model reduced to a few shapes; for the consistent formulation only."""

    basis: Any  # (n nd, m)

    @property
    def shape_size(self) -> int:
        return int(self.basis.shape[1])

    @property
    def speed_size(self) -> int:
        return int(self.basis.shape[1])

    def displacement(self, shape: jax.Array) -> jax.Array:
        deformation: jax.Array = (self.basis @ shape).reshape(self.count, self.nd)
        return deformation

    def velocity(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        return self.rigid(twist, rho) + self.displacement(speed)

    def shape_rate(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        return speed

    def mass_matrix(self, formulation: str) -> np.ndarray:
        """Return the mass matrix of twist and gear speeds, at the undeformed nodes."""
        N = np.hstack([self.partials_at_rest, self.basis])
        matrix: np.ndarray = N.T @ self.M @ N
        return matrix

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
        """Return the right-hand side of twist and gear speeds; `dynamics.forces` adds the total momenta."""
        outer = self.wrench(load, rho) + self.weight_wrench(g, deformation)
        flat = (load + strut + self.gravity(g)).ravel()
        inner = (self.basis.T @ self.K) @ deformation.ravel() + self._reduced(self.C) @ speed
        return jnp.concatenate([outer, self.basis.T @ flat - inner])

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
        """Return inertia minus applied forces of all nodes (n, nd), within the retained shapes."""
        N = jnp.hstack([self.partials_at_rest, self.basis])
        p = jnp.asarray(self.M @ (N @ jnp.concatenate([twist, speed]))).reshape(self.count, self.nd)
        pushed = (self.M @ (N @ rate)).reshape(self.count, self.nd)
        inner = (self.K @ deformation.ravel() + self.C @ (self.basis @ speed)).reshape(self.count, self.nd)
        turning = jnp.pad(self.dim.cross(twist[self.d :], p[:, : self.d]), ((0, 0), (0, self.dim.turns)))
        loads: jax.Array = pushed + turning + inner - load - self.gravity(g)
        return loads

    def damping_power(self, twist: jax.Array, speed: jax.Array, rho: jax.Array) -> jax.Array:
        """Return the power [W] of the gear damping, zero or negative."""
        return -speed @ self._reduced(self.C) @ speed

    def _reduced(self, matrix: np.ndarray) -> np.ndarray:
        """Return a matrix of all degrees of freedom projected on the retained shapes."""
        reduced: np.ndarray = self.basis.T @ matrix @ self.basis
        return reduced

    def _rows(self, nodes: tuple[int, ...]) -> np.ndarray:
        return np.array([[j * self.nd + i for i in range(self.d)] for j in nodes], int).reshape(-1, self.d)

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
        """Return the terms that (1 - g J) adds to the mass matrix, (size, size): step factor g, Jacobian J."""
        own = g * self._reduced(self.C) + g**2 * self._reduced(self.K)
        if len(nodes_strut):
            at = self.basis[self._rows(nodes_strut)]
            own = own + jnp.einsum("jia,jik,jkb->ab", at, strut_blocks, at)
        total = jnp.pad(own, ((self.nd, 0), (self.nd, 0)))
        L = self._reach(rho, nodes_contact)
        return total + jnp.einsum("jia,jik,jkb->ab", L, contact_blocks, L)

    def _reach(self, rho: jax.Array, nodes: tuple[int, ...]) -> jax.Array:
        """Return the derivative of node velocities by the speeds, (m, d, size)."""
        B = self.partials(rho)[np.array(nodes), : self.d]
        return jnp.concatenate([B, self.basis[self._rows(nodes)]], 2)

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
        own = -self._reduced(self.K) @ change
        if len(nodes_strut):
            own = own + jnp.einsum("jia,ji->a", self.basis[self._rows(nodes_strut)], strut_push)
        contact = jnp.einsum("jia,ji->a", self._reach(rho, nodes_contact), contact_push)
        return contact + jnp.pad(own, (self.nd, 0))

    def node_change(
        self, twist_change: jax.Array, speed_change: jax.Array, nodes: tuple[int, ...], rho: jax.Array
    ) -> jax.Array:
        """Return changes of the absolute node velocities (m, d) in body axes for changes of the speeds."""
        return self._reach(rho, nodes) @ jnp.concatenate([twist_change, speed_change])
