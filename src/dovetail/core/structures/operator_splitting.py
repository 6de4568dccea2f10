"""The alpha operator-splitting method: implicit stability from one measurement a step, no iteration."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.block import Time
from dovetail.core.kinds import kind
from dovetail.core.parameter import parameter
from dovetail.core.structures.newmark import coefficients
from dovetail.core.structures.structure import Each, PredictorCorrector, StructuralMotion, Structure, _matrix


@kind("operator-splitting")
class OperatorSplitting(PredictorCorrector):
    r"""Impose a predicted displacement, measure, and correct with the initial stiffness.

    .. math::
        \tilde x_{n+1} = x_n + h v_n + h^2 (\tfrac12 - \beta) a_n, \qquad
        R_{n+1} = \tilde R_{n+1} + K_I (x_{n+1} - \tilde x_{n+1}), \qquad
        x_{n+1} = \tilde x_{n+1} + \beta h^2 a_{n+1}

    in the equation of the alpha method (see `HHTAlpha`), which is then linear in the acceleration; the
    part of the force that is not linear is treated explicitly. For a linear specimen of stiffness
    `initial_stiffness` it is the alpha method itself, and it is unconditionally stable for any softer one:
    take `initial_stiffness` rather too large than too small. On a spring that softens strongly, steps far
    beyond the period can feed a slow growth of energy at small \|alpha\|; alpha = -1/3 damps it.
    Not modelled: a specimen that stiffens; forces that depend on velocity are seen at the predicted velocity.
    Source: [Nakashima et al. 1990], [Combescure & Pegon 1997].
    """

    initial_stiffness: jax.Array = eqx.field(converter=_matrix)  # [N/m], (n, n)
    alpha: jax.Array = parameter(
        "1", "numerical damping, 0 for none", default=-0.1, at_least=-1 / 3, at_most=0.0
    )

    def predict(self, dt: Time, motion: StructuralMotion) -> tuple[Each, Each]:
        beta, _ = coefficients(self.alpha)
        x = motion.x + dt * motion.v + dt**2 * (0.5 - beta) * motion.a
        return x, motion.v + dt * motion.a  # velocity to first order, so that forces of it keep the order 2

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
