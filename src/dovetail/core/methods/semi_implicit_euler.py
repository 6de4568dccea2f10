"""Semi-implicit (symplectic) Euler method: velocities first, then positions with the new velocities."""

from typing import Any, ClassVar

import jax
import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import kind


@kind("semi-implicit-euler")
class SemiImplicitEuler(Method):
    r"""Semi-implicit Euler method of order 1, without energy drift for an undamped oscillator.

    .. math::
        v_{n+1} = v_n + h\,\dot v(t_n, q_n, v_n, u), \qquad
        q_{n+1} = q_n + h\,\dot q(t_n, q_n, v_{n+1}, u)

    The state must be a pair `(q, v)`, positions first, each of any pytree structure; the derivative of the flow is
    the pair `(q', v')`. The method is symplectic if v' depends on q only, and stable to h omega = 2 without damping.
    The method evaluates the flow a second time for q' with the new velocities. The compiler removes the forces from
    that evaluation, so a step costs one force evaluation.
    Source: [Hairer, Lubich & Wanner 2006, sec. VI.3].
    """

    order: ClassVar[int] = 1

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        if not (isinstance(x, tuple) and len(x) == 2):
            raise ParameterError(
                f"SemiImplicitEuler: the state of {type(flow).__name__} is a {type(x).__name__}; it must be "
                "a pair (q, v), positions first. Return such a pair from init and derivative, or use RK4."
            )
        q, v = x
        _, v_rate = flow.derivative(t, x, u)
        v = jax.tree.map(lambda v, rate: v + dt * rate, v, v_rate)
        q_rate, _ = flow.derivative(t, _pair(x, q, v), u)
        q = jax.tree.map(lambda q, rate: q + dt * rate, q, q_rate)
        return _pair(x, q, v), memory

    def amplification(self, z: Inexact[np.ndarray, "*z"]) -> Inexact[np.ndarray, "*z"]:
        """Return the growth factor of a step for the oscillator with the eigenvalue z/h and its conjugate.

        A real eigenvalue counts as a critically damped pair, which requires a smaller step than a single real
        eigenvalue.
        """
        z = np.asarray(z, dtype=complex)
        det = 1 + 2 * z.real
        half_trace = (1 + det - np.abs(z) ** 2) / 2
        root = np.sqrt(half_trace**2 - det + 0j)
        return np.asarray(np.maximum(np.abs(half_trace + root), np.abs(half_trace - root)))


def _pair(like: Any, q: State, v: State) -> Any:
    """Return the pair (q, v) in the type of `like`, a plain or named tuple."""
    return type(like)(q, v) if hasattr(like, "_fields") else (q, v)
