"""Semi-implicit (symplectic) Euler: velocities first, then positions with the new velocities."""

from typing import Any, ClassVar

import jax
import numpy as np
from jaxtyping import Inexact

from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import kind


@kind("semi-implicit-euler")
class SemiImplicitEuler(Method):
    r"""Order 1, one force evaluation a step, and no drift of energy for an undamped oscillator.

    .. math::
        v_{n+1} = v_n + h\,\dot v(t_n, q_n, v_n, u), \qquad
        q_{n+1} = q_n + h\,\dot q(t_n, q_n, v_{n+1}, u)

    The state must be a pair `(q, v)`, positions first, each of any pytree structure; the flow's derivative is
    the pair `(q', v')`. Symplectic where v' depends on q only; stable to h omega = 2 without damping. The
    rate q' is asked of the flow a second time with the new velocities; the compiler drops the forces there.
    Source: [Hairer, Lubich & Wanner 2006, sec. VI.3].
    """

    order: ClassVar[int] = 1

    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: tuple) -> tuple[State, tuple]:
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
        """Growth of a step for the oscillator with the eigenvalue pair z/h and its conjugate.

        A real eigenvalue is counted as a critically damped pair, which asks for a smaller step than an
        eigenvalue that is alone.
        """
        z = np.asarray(z, dtype=complex)
        det = 1 + 2 * z.real
        half_trace = (1 + det - np.abs(z) ** 2) / 2
        root = np.sqrt(half_trace**2 - det + 0j)
        return np.maximum(np.abs(half_trace + root), np.abs(half_trace - root))


def _pair(like: Any, q: State, v: State) -> Any:
    """The pair (q, v) as the same type, a plain tuple or a named one."""
    return type(like)(q, v) if hasattr(like, "_fields") else (q, v)
