"""Alpha operator-splitting method: unconditionally stable with one measurement per step, without iteration."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp

from dovetail.core.block import Time
from dovetail.core.kinds import kind
from dovetail.core.parameter import Parameter, parameter
from dovetail.core.structures.newmark import coefficients
from dovetail.core.structures.structure import Each, PredictorCorrector, StructuralMotion, Structure, _matrix


@kind("operator-splitting")
class OperatorSplitting(PredictorCorrector):
    r"""Alpha operator-splitting method: predict, impose, measure, correct with the initial stiffness.

    .. math::
        \tilde x_{n+1} = x_n + h v_n + h^2 (\tfrac12 - \beta) a_n, \qquad
        R_{n+1} = \tilde R_{n+1} + K_I (x_{n+1} - \tilde x_{n+1}), \qquad
        x_{n+1} = \tilde x_{n+1} + \beta h^2 a_{n+1}

    These are inserted into the equation of the alpha method (see `HHTAlpha`), which is then linear in the
    acceleration. The nonlinear part of the force is treated explicitly. For a linear specimen of stiffness
    `initial_stiffness` the method equals the alpha method. For any softer specimen it is unconditionally stable, so
    choose `initial_stiffness` too large rather than too small. With a strongly softening spring, a small \|alpha\|
    and steps much longer than the period, the energy can grow slowly; alpha = -1/3 damps this growth.
    Not modelled: a stiffening specimen. Forces that depend on velocity are evaluated at the predicted velocity.
    Source: [Nakashima et al. 1990], [Combescure & Pegon 1997].
    """

    initial_stiffness: Parameter = eqx.field(converter=_matrix)  # [N/m], (n, n)
    alpha: Parameter = parameter(
        "1", "numerical damping, 0 for none", default=-0.1, at_least=-1 / 3, at_most=0.0
    )

    def predict(self, dt: Time, motion: StructuralMotion) -> tuple[Each, Each]:
        beta, _ = coefficients(self.alpha)
        x = motion.x + dt * motion.v + dt**2 * (0.5 - beta) * motion.a
        return x, motion.v + dt * motion.a  # first-order velocity: forces that depend on it retain order 2

    def correct(
        self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each, measured: Each
    ) -> StructuralMotion:
        beta, gamma = coefficients(self.alpha)
        x, _ = self.predict(dt, motion)
        v = motion.v + dt * (1 - gamma) * motion.a
        late, early = 1 + self.alpha, self.alpha
        matrix = structure.mass + late * (
            gamma * dt * structure.damping + beta * dt**2 * self.initial_stiffness
        )
        unbalanced = load - structure.damping @ v - measured
        unbalanced_before = motion.load - structure.damping @ motion.v - motion.restoring
        a = jnp.linalg.solve(matrix, late * unbalanced - early * unbalanced_before)
        correction = beta * dt**2 * a
        restoring = measured + self.initial_stiffness @ correction
        return StructuralMotion(x + correction, v + gamma * dt * a, a, restoring, load)
