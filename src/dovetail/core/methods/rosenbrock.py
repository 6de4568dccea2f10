"""Linearly implicit method: L-stable without iteration."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.kinds import kind

GAMMA = 0.5
A = ((), (0.0,), (2.0, 0.0), (2.0, 0.0, 1.0))
C = ((), (4.0,), (1.0, -1.0), (1.0, -1.0, -8.0 / 3.0))
WEIGHTS = (2.0, 0.0, 1.0, 1.0)
TIMES = (0.0, 0.0, 1.0, 1.0)
SLOPES = (0.5, 1.5, 0.0, 0.0)  # weights of the partial derivative of the rate with respect to time


@kind("rosenbrock3")
class Rosenbrock3(Method):
    r"""Rosenbrock method RODAS3: order 3, L-stable, four linear solves and one Jacobian per step.

    .. math::
        \left(\frac{1}{h\gamma} - J\right) k_i = f\Big(t_n + \alpha_i h,\ x_n + \sum_{j<i} a_{ij} k_j\Big)
            + \frac1h \sum_{j<i} c_{ij} k_j + \gamma_i h\,\partial_t f, \qquad
        x_{n+1} = x_n + \sum_i m_i k_i

    Automatic differentiation computes the Jacobian. The cost is the same in every step. The method can therefore
    meet a deadline that a Newton iteration may miss. Source of the coefficients: [Sandu et al. 1997].
    """

    order: ClassVar[int] = 3

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        start, unravel = ravel_pytree(x)
        if start.size == 0:
            return x, memory

        def rate(t: Time, x: jax.Array) -> jax.Array:
            return ravel_pytree(flow.derivative(t, unravel(x), u))[0]

        # all terms multiplied by h: a step of zero length changes nothing
        t = jnp.asarray(t, dtype=start.dtype)
        jacobian = jax.jacfwd(rate, argnums=1)(t, start)
        _, by_time = jax.jvp(lambda t: rate(t, start), (t,), (jnp.ones_like(t),))
        factor = jax.scipy.linalg.lu_factor(jnp.eye(start.size) / GAMMA - dt * jacobian)
        k: list[jax.Array] = []
        for a, c, time, slope in zip(A, C, TIMES, SLOPES, strict=True):
            at = start + sum((w * other for w, other in zip(a, k, strict=True)), jnp.zeros_like(start))
            push = dt * rate(t + time * dt, at) + slope * dt**2 * by_time
            push = push + sum((w * other for w, other in zip(c, k, strict=True)), jnp.zeros_like(start))
            k.append(jax.scipy.linalg.lu_solve(factor, push))
        return unravel(start + sum(w * other for w, other in zip(WEIGHTS, k, strict=True))), memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda."""
        z = np.asarray(z, dtype=complex)
        k: list[np.ndarray] = []
        for a, c in zip(A, C, strict=True):
            at = 1 + sum(w * other for w, other in zip(a, k, strict=True))
            push = z * at + sum(w * other for w, other in zip(c, k, strict=True))
            k.append(push / (1 / GAMMA - z))
        return np.abs(1 + sum(w * other for w, other in zip(WEIGHTS, k, strict=True)))
