import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core.structures import (
    CentralDifference,
    HHTAlpha,
    Newmark,
    OperatorSplitting,
    Structure,
)


def name(method):
    return type(method).__name__


def run(structure, method, dt, steps, start, load=lambda t: 0.0):
    def tick(m, i):
        m = method.step(structure, dt, m, jnp.broadcast_to(load((i + 1) * dt), (structure.size,)))
        return m, m

    return jax.jit(lambda: jax.lax.scan(tick, start, jnp.arange(steps))[1])()


def cubic(x, v):
    """A hardening spring with a little friction [N]."""
    return 4.0 * x + 2.0 * x**3 + 0.1 * v


ALL = [
    CentralDifference(),
    Newmark(),
    HHTAlpha(-0.2),
    OperatorSplitting(20.0, -0.2),
    OperatorSplitting(20.0, 0.0),
]


@pytest.mark.parametrize("method", ALL, ids=name)
def test_every_method_is_of_second_order_on_a_forced_nonlinear_oscillator(method):
    structure = Structure(1.0, 0.2, cubic)
    judge = solve_ivp(
        lambda t, y: [y[1], np.sin(3 * t) - 0.2 * y[1] - cubic(y[0], y[1])],
        (0.0, 2.0),
        [1.0, 0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=[0.5, 1.0, 1.5, 2.0],
    ).y[0]

    def error(n):
        motion = run(structure, method, 2.0 / n, n, structure.start(x=1.0), lambda t: jnp.sin(3 * t))
        return np.linalg.norm(np.asarray(motion.x)[n // 4 - 1 :: n // 4, 0] - judge)

    assert np.log2(error(200) / error(400)) == pytest.approx(2, abs=0.1)
