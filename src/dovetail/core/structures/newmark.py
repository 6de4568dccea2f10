"""Newmark's method and the alpha method of Hilber, Hughes and Taylor: implicit and iterative."""

from __future__ import annotations

from typing import Any

import jax

from dovetail.core.block import Time
from dovetail.core.kinds import kind
from dovetail.core.methods.newton import newton
from dovetail.core.parameter import Parameter, count, parameter
from dovetail.core.structures.structure import Each, StructuralMethod, StructuralMotion, Structure


@kind("newmark")
class Newmark(StructuralMethod):
    r"""Newmark's method: implicit, with weighted accelerations at both ends of the step.

    .. math::
        x_{n+1} = x_n + h v_n + h^2 [(\tfrac12 - \beta) a_n + \beta a_{n+1}], \qquad
        v_{n+1} = v_n + h [(1 - \gamma) a_n + \gamma a_{n+1}]

    The default is the average acceleration method: order 2, unconditionally stable, no numerical damping.
    gamma = 1/2 gives order 2; larger values add damping and reduce the order to 1. A step that does not converge
    gives NaN. Source: [Newmark 1959].
    """

    beta: Parameter = parameter("1", "weight of the new acceleration in x", default=0.25, at_least=0.0)
    gamma: Parameter = parameter("1", "weight of the new acceleration in v", default=0.5, at_least=0.5)
    iterations: int = count("maximum number of Newton iterations per step", default=30, at_least=1)

    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        return implicit_step(structure, dt, motion, load, 0.0, self.beta, self.gamma, self.iterations)


@kind("hht-alpha")
class HHTAlpha(StructuralMethod):
    r"""Alpha method of Hilber, Hughes and Taylor: Newmark's method with forces shortly before the step's end.

    .. math::
        M a_{n+1} + (1+\alpha)(C v + R)_{n+1} - \alpha (C v + R)_n = (1+\alpha) F_{n+1} - \alpha F_n

    with :math:`\beta = (1-\alpha)^2/4`, :math:`\gamma = (1-2\alpha)/2`. The method has order 2 and is
    unconditionally stable. It damps motion that is too fast for the step: most at alpha = -1/3, not at all at
    alpha = 0 (the average acceleration method).
    A step that does not converge gives NaN. Source: [Hilber, Hughes & Taylor 1977].
    """

    alpha: Parameter = parameter(
        "1", "numerical damping, 0 for none", default=-0.1, at_least=-1 / 3, at_most=0.0
    )
    iterations: int = count("maximum number of Newton iterations per step", default=30, at_least=1)

    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        beta, gamma = coefficients(self.alpha)
        return implicit_step(structure, dt, motion, load, self.alpha, beta, gamma, self.iterations)


def coefficients(alpha: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return Newmark's beta and gamma for an alpha method of second order that is unconditionally stable."""
    return (1 - alpha) ** 2 / 4, (1 - 2 * alpha) / 2


def implicit_step(
    structure: Structure,
    dt: Time,
    motion: StructuralMotion,
    load: Each,
    alpha: jax.Array | float,
    beta: jax.Array,
    gamma: jax.Array,
    iterations: int,
) -> StructuralMotion:
    """Return the motion after one step of the alpha method, for any beta and gamma.

    The unknown of Newton's method is the displacement y = h^2 a [m], with a tolerance of 1e-12 m. In `a` the rounding
    error of the restoring force would be amplified by 1 / h^2.
    """
    x_pred = motion.x + dt * motion.v + dt**2 * (0.5 - beta) * motion.a
    v_pred = motion.v + dt * (1 - gamma) * motion.a
    late = 1 + alpha
    known = late * load - alpha * motion.load + alpha * (structure.damping @ motion.v + motion.restoring)

    def at_end(y: jax.Array) -> tuple[jax.Array, jax.Array]:
        return x_pred + beta * y, v_pred + gamma * y / dt

    def residual(y: jax.Array) -> Any:
        x, v = at_end(y)
        return structure.mass @ y / dt**2 + late * (structure.damping @ v + structure.force(x, v)) - known

    y, _ = newton(residual, dt**2 * motion.a, tolerance=1e-12, iterations=iterations)
    x, v = at_end(y)
    return StructuralMotion(x, v, y / dt**2, structure.force(x, v), load)
