"""Generalised-alpha method for first-order flows, with adjustable numerical damping of fast motion."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.kinds import kind
from dovetail.core.methods.newton import newton
from dovetail.core.parameter import check, count, parameter


@kind("generalised-alpha")
class GeneralisedAlpha(Method):
    r"""Generalised-alpha method: order 2, A-stable, with adjustable numerical damping.

    Motion much faster than the step shrinks by the factor `radius` in each step.

    .. math::
        \alpha_m\dot x_{n+1} + (1-\alpha_m)\dot x_n = f(t_{n+\alpha_f}, x_{n+\alpha_f}, u), \qquad
        x_{n+1} = x_n + h[(1-\gamma)\dot x_n + \gamma\dot x_{n+1}]

    with :math:`\alpha_m = \tfrac12(3-\rho)/(1+\rho)`, :math:`\alpha_f = 1/(1+\rho)`,
    :math:`\gamma = \tfrac12+\alpha_m-\alpha_f`. Here :math:`\rho` is `radius`: 1 gives the midpoint
    rule, 0 is close to `BDF2`. The method stores the rate of the last step; in the first step it uses the rate of
    the flow. A step that does not converge gives NaN.
    Source: [Jansen, Whiting & Hulbert 2000], after [Chung & Hulbert 1993].
    """

    radius: float = parameter(
        "1", "factor by which the fastest motion shrinks in a step", default=0.5, at_least=0.0, at_most=1.0
    )
    tolerance: float = parameter("1", "tolerance of the Newton iteration", default=1e-10, above=0.0)
    iterations: int = count("maximum number of Newton iterations per step", default=30, at_least=1)
    order: ClassVar[int] = 2

    def __check_init__(self) -> None:
        check(self)

    def _weights(self) -> tuple[Any, Any, Any]:
        rho = self.radius
        mean_rate, mean_state = 0.5 * (3 - rho) / (1 + rho), 1 / (1 + rho)
        return mean_rate, mean_state, 0.5 + mean_rate - mean_state

    def init(self, flow: Flow, x: State) -> tuple[State, jax.Array]:
        return x, jnp.asarray(False)  # rate at the end of the last step; True after the first step

    def step(
        self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: tuple[State, jax.Array]
    ) -> tuple[State, tuple[State, jax.Array]]:
        m, f, g = self._weights()
        start, unravel = ravel_pytree(x)

        def rate(t: Time, x: jax.Array) -> Any:
            return ravel_pytree(flow.derivative(t, unravel(x), u))[0]

        kept, known = memory
        old = jnp.where(known, ravel_pytree(kept)[0], rate(t, start))
        base = start + dt * (1 - g) * old

        def residual(y: jax.Array) -> Any:  # y is h times the new rate and has the unit of the state
            middle = (1 - f) * start + f * (base + g * y)
            return m * y + (1 - m) * dt * old - dt * rate(t + f * dt, middle)

        y, _ = newton(residual, dt * old, tolerance=self.tolerance, iterations=self.iterations)
        moved = jnp.asarray(dt) > 0
        new_rate = jnp.where(moved, y / jnp.where(moved, dt, 1.0), old)
        return unravel(base + g * y), (unravel(new_rate), known | moved)

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for z = h lambda: the larger eigenvalue of the map of state and rate."""
        m, f, g = (float(w) for w in self._weights())
        z = np.asarray(z, dtype=complex)
        # y1 = p x0 + q y0, x1 = x0 + (1 - g) y0 + g y1, with y = h x'
        p = z / (m - z * f * g)
        q = (z * f * (1 - g) - (1 - m)) / (m - z * f * g)
        trace, determinant = 1 + g * p + q, (1 + g * p) * q - p * (1 - g + g * q)
        root = np.sqrt(trace**2 - 4 * determinant)
        return np.maximum(np.abs(trace + root), np.abs(trace - root)) / 2
