r"""A linear multi-storey frame on shaking ground, less the share that the specimen carries.

Displacements are relative to the ground, so the ground's acceleration acts as a force on every storey. What
the specimen carries at its storey is taken away, and comes back as the measured force:

.. math:: M_n\ddot x + C_n\dot x + K_n x = -M\,\iota\,a_g + e F,
          \qquad (M, C, K)_n = (M, C, K) - (m, c, k)_{specimen}\, e e^T

with :math:`e` the unit vector of the storey. The force of the ground uses the *whole* mass: in the laboratory
the specimen's base stands still, so its own inertia against the ground is not in the measured force.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import arrived, known
from dovetail.mechanics.base import Substructure


@kind("frame")
class Frame(Substructure):
    r"""Storeys with masses, a stiffness matrix and modal damping, driven by the ground's acceleration.

    The damping matrix has the frame's own modes: with :math:`K\phi_i = \omega_i^2 M\phi_i` and
    :math:`\phi_i^T M \phi_i = 1`, :math:`C = M \Phi\,\mathrm{diag}(2\zeta_i\omega_i)\,\Phi^T M`. It follows
    from mass, stiffness and ratio whenever they change. The `excitation` is the acceleration of the ground
    [m/s^2]. All storeys are recorded as `storey_displacement`.
    """

    excitation_unit: ClassVar[str] = "m/s^2"

    mass: jax.Array = parameter("kg", "of each storey, from the lowest up", above=0.0)
    stiffness: jax.Array = parameter("N/m", "matrix of the whole frame, symmetric")
    damping_ratio: jax.Array = parameter("1", "of every mode, or one for each, slowest first", at_least=0.0)
    storey: int = count("at which the specimen is, counted from 1", default=1, at_least=1)
    share_mass: jax.Array = parameter("kg", "carried by the specimen there", default=0.0, at_least=0.0)
    share_damping: jax.Array = parameter("N s/m", "carried by the specimen there", default=0.0, at_least=0.0)
    share_stiffness: jax.Array = parameter("N/m", "carried by the specimen there", default=0.0, at_least=0.0)

    def __check_init__(self):
        m, k, ratio = self.mass, self.stiffness, self.damping_ratio
        if not arrived(m, k, ratio):
            return
        n = m.shape[0] if m.ndim == 1 else 0
        if n == 0 or k.shape != (n, n) or ratio.shape not in ((), (n,)) or self.storey > n:
            raise ParameterError(
                f"Frame: {m.shape} masses, {k.shape} stiffnesses, {ratio.shape} damping ratios, storey "
                f"{self.storey}: give one mass a storey, a square matrix of as many rows, one ratio or one a "
                "mode, and a storey that is there"
            )
        if not known(m, k, self.share_mass):
            return
        K = np.asarray(k)
        if not np.allclose(K, K.T, rtol=1e-9, atol=0.0):
            raise ParameterError("Frame.stiffness: is not symmetric; action and reaction must be equal")
        if np.linalg.eigvalsh(K).min() <= 0:
            raise ParameterError("Frame.stiffness: is not positive definite; a storey could move freely")
        storey = float(np.asarray(m)[self.storey - 1])
        if float(self.share_mass) >= storey:
            raise ParameterError(
                f"Frame.share_mass: got {float(self.share_mass):g} kg; must be below the storey's "
                f"{storey:g} kg, so that something is left to simulate"
            )

    @property
    def storeys(self) -> int:
        """How many there are."""
        return self.mass.shape[0]

    def modes(self) -> tuple[jax.Array, jax.Array]:
        """Natural frequencies of the whole frame [rad/s], and its mass-normalised shapes in columns."""
        root = jnp.sqrt(self.mass)
        squares, vectors = jnp.linalg.eigh(self.stiffness / jnp.outer(root, root))
        return jnp.sqrt(squares), vectors / root[:, None]

    def damping(self) -> jax.Array:
        """Damping matrix of the whole frame [N s/m]."""
        omega, shapes = self.modes()
        weighted = self.mass[:, None] * shapes
        return (weighted * (2 * self.damping_ratio * omega)) @ weighted.T

    def init(self) -> dict[str, jax.Array]:
        return {"x": jnp.zeros(self.storeys), "v": jnp.zeros(self.storeys)}

    def derivative(self, t, x, u):
        return {"x": x["v"], "v": self._acceleration(x, u)}

    def output(self, t, x, u):
        at = self.storey - 1
        return {
            "displacement": x["x"][at],
            "velocity": x["v"][at],
            "acceleration": self._acceleration(x, u)[at],
            "storey_displacement": x["x"],
        }

    def _acceleration(self, x, u):
        at = self.storey - 1
        # one matrix each, the same in every stage, so that it is made once and not in the loop
        less = jnp.zeros((self.storeys, self.storeys)).at[at, at].set(1.0)
        inverse = 1.0 / self.mass.at[at].add(-self.share_mass)
        from_x = inverse[:, None] * (self.stiffness - self.share_stiffness * less)
        from_v = inverse[:, None] * (self.damping() - self.share_damping * less)
        ground = inverse * self.mass * u["excitation"]
        return (less[at] * inverse) * u["force"] - from_x @ x["x"] - from_v @ x["v"] - ground
