"""Central difference method: explicit, second order; the classical method of pseudo-dynamic tests."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core.block import Time
from dovetail.core.kinds import kind
from dovetail.core.structures.structure import Each, PredictorCorrector, StructuralMotion, Structure


@kind("central-difference")
class CentralDifference(PredictorCorrector):
    r"""Central difference method: Newmark's method with beta = 0 and gamma = 1/2.

    .. math::
        x_{n+1} = x_n + h v_n + \tfrac{h^2}{2} a_n, \qquad v_{n+1} = v_n + \tfrac{h}{2}(a_n + a_{n+1})

    The displacements equal those of the central difference. The method needs no stiffness matrix, for linear or
    nonlinear structures, and treats damping implicitly. It is stable to h omega = 2 for the highest frequency and
    diverges above. For stiff structures use `OperatorSplitting`.
    Source: [Newmark 1959].
    """

    def predict(self, dt: Time, motion: StructuralMotion) -> tuple[Each, Each]:
        return motion.x + dt * motion.v + 0.5 * dt**2 * motion.a, motion.v + dt * motion.a

    def correct(
        self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each, measured: Each
    ) -> StructuralMotion:
        x, _ = self.predict(dt, motion)
        v = motion.v + 0.5 * dt * motion.a
        matrix = structure.mass + 0.5 * dt * structure.damping
        a = jnp.linalg.solve(matrix, load - structure.damping @ v - measured)
        return StructuralMotion(x, v + 0.5 * dt * a, a, measured, load)
