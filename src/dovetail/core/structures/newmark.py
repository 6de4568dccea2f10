"""Newmark's method and the alpha method of Hilber, Hughes and Taylor: implicit, with iteration."""

from __future__ import annotations

import jax

from dovetail.core.block import Time
from dovetail.core.kinds import kind
from dovetail.core.methods.newton import newton
from dovetail.core.parameter import count, parameter
from dovetail.core.structures.structure import Each, StructuralMethod, StructuralMotion, Structure


@kind("newmark")
class Newmark(StructuralMethod):
    r"""Displacement and velocity from a mean of the accelerations at both ends of the step.

    .. math::
        x_{n+1} = x_n + h v_n + h^2 [(\tfrac12 - \beta) a_n + \beta a_{n+1}], \qquad
        v_{n+1} = v_n + h [(1 - \gamma) a_n + \gamma a_{n+1}]

    The default is the average acceleration: order 2, unconditionally stable, no numerical damping.
    gamma = 1/2 keeps the order; larger values damp and cost an order. A step that does not converge
    gives NaN. Source: [Newmark 1959].
    """

    beta: jax.Array = parameter("1", "weight of the new acceleration in x", default=0.25, at_least=0.0)
    gamma: jax.Array = parameter("1", "weight of the new acceleration in v", default=0.5, at_least=0.5)
    iterations: int = count("most Newton iterations in a step", default=30, at_least=1)

    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        return implicit_step(structure, dt, motion, load, 0.0, self.beta, self.gamma, self.iterations)


@kind("hht-alpha")
class HHTAlpha(StructuralMethod):
    r"""Newmark's method with the forces taken a little before the end of the step.

    .. math::
        M a_{n+1} + (1+\alpha)(C v + R)_{n+1} - \alpha (C v + R)_n = (1+\alpha) F_{n+1} - \alpha F_n

    with :math:`\beta = (1-\alpha)^2/4`, :math:`\gamma = (1-2\alpha)/2`: order 2, unconditionally stable, and
    damping of what is too fast for the step, most at alpha = -1/3, none at 0 (the average acceleration).
    A step that does not converge gives NaN. Source: [Hilber, Hughes & Taylor 1977].
    """

    alpha: jax.Array = parameter(
        "1", "numerical damping, 0 for none", default=-0.1, at_least=-1 / 3, at_most=0.0
    )
    iterations: int = count("most Newton iterations in a step", default=30, at_least=1)

    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        beta, gamma = coefficients(self.alpha)
        return implicit_step(structure, dt, motion, load, self.alpha, beta, gamma, self.iterations)


def coefficients(alpha: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Newmark's beta and gamma that make the alpha method of second order and unconditionally stable."""
    return (1 - alpha) ** 2 / 4, (1 - 2 * alpha) / 2


def implicit_step(structure, dt, motion, load, alpha, beta, gamma, iterations) -> StructuralMotion:
    """One step of the alpha method for any beta and gamma.

    Newton's unknown is y = h^2 a [m], a displacement, as rounding of the restoring force is amplified in `a`
    by 1 / h^2; it is found to 1e-12 m.
    """
    x_pred = motion.x + dt * motion.v + dt**2 * (0.5 - beta) * motion.a
    v_pred = motion.v + dt * (1 - gamma) * motion.a
    late = 1 + alpha
    known = late * load - alpha * motion.load + alpha * (structure.damping @ motion.v + motion.restoring)

    def at_end(y):
        return x_pred + beta * y, v_pred + gamma * y / dt

    def residual(y):
        x, v = at_end(y)
        return structure.mass @ y / dt**2 + late * (structure.damping @ v + structure.force(x, v)) - known

    y, _ = newton(residual, dt**2 * motion.a, tolerance=1e-12, iterations=iterations)
    x, v = at_end(y)
    return StructuralMotion(x, v, y / dt**2, structure.force(x, v), load)
