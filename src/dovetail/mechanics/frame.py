r"""Linear multi-storey frame under ground motion, without the part that the specimen represents.

Displacements are relative to the ground, so the ground acceleration acts as a force on every storey. Mass,
damping and stiffness of the specimen are subtracted at its storey and replaced by the measured force:

.. math:: M_n\ddot x + C_n\dot x + K_n x = -M\,\iota\,a_g + e F,
          \qquad (M, C, K)_n = (M, C, K) - (m, c, k)_{specimen}\, e e^T

with :math:`e` the unit vector of the storey. The ground force uses the *total* mass: in the laboratory
the base of the specimen does not move, so the measured force does not contain the inertia of the specimen
under ground motion.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Input, Output, Parameter, State, Time, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays, all_concrete
from dovetail.mechanics.base import Substructure


@kind("frame")
class Frame(Substructure):
    r"""Multi-storey frame with storey masses, stiffness matrix and modal damping under ground acceleration.

    The damping matrix is modal: with :math:`K\phi_i = \omega_i^2 M\phi_i` and
    :math:`\phi_i^T M \phi_i = 1`, :math:`C = M \Phi\,\mathrm{diag}(2\zeta_i\omega_i)\,\Phi^T M`. It is recomputed
    when mass, stiffness or damping ratio change. The `excitation` is the ground acceleration
    [m/s^2]. All storeys are recorded as `storey_displacement`.
    """

    excitation_unit: ClassVar[str] = "m/s^2"

    mass: Parameter = parameter("kg", "mass of each storey, lowest first", above=0.0)
    stiffness: Parameter = parameter("N/m", "stiffness matrix of the complete frame, symmetric")
    damping_ratio: Parameter = parameter(
        "1", "damping ratio of all modes, or one for each mode, lowest frequency first", at_least=0.0
    )
    specimen_storey: int = count("storey of the specimen, counted from 1", default=1, at_least=1)
    specimen_mass: Parameter = parameter(
        "kg", "mass of the specimen at its storey", default=0.0, at_least=0.0
    )
    specimen_damping: Parameter = parameter(
        "N s/m", "damping of the specimen at its storey", default=0.0, at_least=0.0
    )
    specimen_stiffness: Parameter = parameter(
        "N/m", "stiffness of the specimen at its storey", default=0.0, at_least=0.0
    )

    def __check_init__(self) -> None:
        m, k, ratio = self.mass, self.stiffness, self.damping_ratio
        if not all_arrays(m, k, ratio):
            return
        n = m.shape[0] if m.ndim == 1 else 0
        if n == 0 or k.shape != (n, n) or ratio.shape not in ((), (n,)) or self.specimen_storey > n:
            raise ParameterError(
                f"Frame: {m.shape} masses, {k.shape} stiffnesses, {ratio.shape} damping ratios, storey "
                f"{self.specimen_storey}; expected one mass per storey, a square matrix with one row per storey, one "
                "damping ratio or one per mode, and a storey number of the frame"
            )
        if not all_concrete(m, k, self.specimen_mass):
            return
        K = np.asarray(k)
        if not np.allclose(K, K.T, rtol=1e-9, atol=0.0):
            raise ParameterError(
                "Frame.stiffness: the matrix is not symmetric; action and reaction must be equal"
            )
        if np.linalg.eigvalsh(K).min() <= 0:
            raise ParameterError(
                "Frame.stiffness: the matrix is not positive definite; a storey could move freely"
            )
        storey = float(np.asarray(m)[self.specimen_storey - 1])
        if float(self.specimen_mass) >= storey:
            raise ParameterError(
                f"Frame.specimen_mass: got {float(self.specimen_mass):g} kg; must be below the storey mass of "
                f"{storey:g} kg, so that the simulated mass is positive"
            )

    @property
    def storeys(self) -> int:
        """Number of storeys."""
        return self.mass.shape[0]

    def modes(self) -> tuple[jax.Array, jax.Array]:
        """Return the natural frequencies [rad/s] and mass-normalised mode shapes (columns) of the complete frame."""
        root = jnp.sqrt(self.mass)
        squares, vectors = jnp.linalg.eigh(self.stiffness / jnp.outer(root, root))
        return jnp.sqrt(squares), vectors / root[:, None]

    def damping(self) -> jax.Array:
        """Return the damping matrix of the complete frame [N s/m]."""
        omega, shapes = self.modes()
        weighted = self.mass[:, None] * shapes
        return (weighted * (2 * self.damping_ratio * omega)) @ weighted.T

    def init(self) -> dict[str, jax.Array]:
        return {"x": jnp.zeros(self.storeys), "v": jnp.zeros(self.storeys)}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return {"x": x["v"], "v": self._acceleration(x, u)}

    def output(self, t: Time, x: State, u: Input) -> Output:
        at = self.specimen_storey - 1
        return {
            "displacement": x["x"][at],
            "velocity": x["v"][at],
            "acceleration": self._acceleration(x, u)[at],
            "storey_displacement": x["x"],
        }

    def _acceleration(self, x: dict[str, jax.Array], u: dict[str, jax.Array]) -> jax.Array:
        at = self.specimen_storey - 1
        # constant matrices, so that the compiler computes them once and not in the loop
        less = jnp.zeros((self.storeys, self.storeys)).at[at, at].set(1.0)
        inverse = 1.0 / self.mass.at[at].add(-self.specimen_mass)
        from_x = inverse[:, None] * (self.stiffness - self.specimen_stiffness * less)
        from_v = inverse[:, None] * (self.damping() - self.specimen_damping * less)
        ground = inverse * self.mass * u["excitation"]
        return (less[at] * inverse) * u["force"] - from_x @ x["x"] - from_v @ x["v"] - ground
