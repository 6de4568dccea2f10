r"""A reduced gear: a few shapes of the whole one, whose amplitudes are its coordinates.

With :math:`r = \Phi\eta` the gear's own speeds are :math:`\nu = \dot\eta`. The deformation is left out of the inertia
(of the contact points it is kept), so that the mass matrix is constant here too.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.airframe.gear import GearModel


class ModalGear(GearModel):
    """A few shapes kept. Only the consistent formulation has it."""

    basis: np.ndarray  # (n nd, m)

    @property
    def shape_size(self):
        return self.basis.shape[1]

    @property
    def speed_size(self):
        return self.basis.shape[1]

    def displacement(self, shape):
        return (self.basis @ shape).reshape(self.count, self.nd)

    def velocity(self, twist, speed, rho):
        return self.rigid(twist, rho) + self.displacement(speed)

    def shape_rate(self, twist, speed, rho):
        return speed

    def mass_matrix(self, formulation: str) -> np.ndarray:
        """Of twist and own speeds, at the undeformed nodes."""
        N = np.hstack([self.partials_at_rest, self.basis])
        return N.T @ self.M @ N

    def forces(self, formulation, twist, speed, rho, deformation, load, strut, g):
        """Right-hand side of the rows of twist and own speeds; momenta of the whole are the airframe's affair."""
        outer = self.wrench(load, rho) + self.weight_wrench(g, deformation)
        flat = (load + strut + self.gravity(g)).ravel()
        inner = (self.basis.T @ self.K) @ deformation.ravel() + self._reduced(self.C) @ speed
        return jnp.concatenate([outer, self.basis.T @ flat - inner])

    def left_over(self, formulation, twist, speed, rate, rho, deformation, load, g) -> jax.Array:
        """Inertia less known forces in the rows of all nodes (n, nd), as far as the kept shapes know them."""
        N = jnp.hstack([self.partials_at_rest, self.basis])
        p = jnp.asarray(self.M @ (N @ jnp.concatenate([twist, speed]))).reshape(self.count, self.nd)
        pushed = (self.M @ (N @ rate)).reshape(self.count, self.nd)
        inner = (self.K @ deformation.ravel() + self.C @ (self.basis @ speed)).reshape(self.count, self.nd)
        turning = jnp.pad(self.dim.cross(twist[self.d :], p[:, : self.d]), ((0, 0), (0, self.dim.turns)))
        return pushed + turning + inner - load - self.gravity(g)

    def damping_power(self, twist, speed, rho) -> jax.Array:
        """Power [W] of the gear's own damping, zero or negative."""
        return -speed @ self._reduced(self.C) @ speed

    def _reduced(self, matrix):
        """A matrix of all freedoms on the kept shapes."""
        return self.basis.T @ matrix @ self.basis

    def _rows(self, nodes):
        return np.array([[j * self.nd + i for i in range(self.d)] for j in nodes], int).reshape(-1, self.d)

    def implicit(self, formulation, g, rho, strut_blocks, contact_blocks, nodes_strut, nodes_contact):
        """What (1 - gJ) adds to the mass matrix, (size, size)."""
        own = g * self._reduced(self.C) + g**2 * self._reduced(self.K)
        if len(nodes_strut):
            at = self.basis[self._rows(nodes_strut)]
            own = own + jnp.einsum("jia,jik,jkb->ab", at, strut_blocks, at)
        total = jnp.pad(own, ((self.nd, 0), (self.nd, 0)))
        L = self._reach(rho, nodes_contact)
        return total + jnp.einsum("jia,jik,jkb->ab", L, contact_blocks, L)

    def _reach(self, rho, nodes):
        """Velocities of nodes by the speeds, (m, d, size)."""
        B = self.partials(rho)[np.array(nodes), : self.d]
        return jnp.concatenate([B, self.basis[self._rows(nodes)]], 2)

    def stiff_forces(self, formulation, change, rho, strut_push, contact_push, nodes_strut, nodes_contact):
        """Forces that a change of shape causes, and given pushes (m, d) on nodes, on the rows of twist and own."""
        own = -self._reduced(self.K) @ change
        if len(nodes_strut):
            own = own + jnp.einsum("jia,ji->a", self.basis[self._rows(nodes_strut)], strut_push)
        contact = jnp.einsum("jia,ji->a", self._reach(rho, nodes_contact), contact_push)
        return contact + jnp.pad(own, (self.nd, 0))

    def node_change(self, twist_change, speed_change, nodes, rho):
        """Changes of the absolute velocities of nodes (m, d) in body axes under changes of the speeds."""
        return self._reach(rho, nodes) @ jnp.concatenate([twist_change, speed_change])
