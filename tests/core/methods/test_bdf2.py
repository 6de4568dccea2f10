import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core import (
    BDF2,
    Flow,
    Sampled,
)
from dovetail.core.errors import ParameterError


class Stiff(Flow):
    """Robertson's chemical kinetics: rates of 0.04, 1e4 and 3e7 per second in one system."""

    def init(self):
        return jnp.array([1.0, 0.0, 0.0])

    def derivative(self, t, y, u):
        a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return jnp.stack([-a + b, a - b - c, c])

    def output(self, t, x, u):
        return x


def run(flow, method, dt, steps, u=None):
    block = Sampled(flow, method)

    def tick(x, i):
        return block.step(i * dt, dt, x, u)

    return jax.jit(lambda: jax.lax.scan(tick, block.init(), jnp.arange(steps))[1])()


def test_bdf2_integrates_stiff_kinetics_at_a_step_far_beyond_its_shortest_time_constant():
    states = run(Stiff(), BDF2(), 0.04, 1000)

    def rate(t, y):
        a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return [-a + b, a - b - c, c]

    judge = solve_ivp(
        rate,
        (0.0, 40.0),
        [1.0, 0.0, 0.0],
        method="Radau",
        rtol=1e-10,
        atol=1e-14,
    )
    # h^2 y'' of the slow motion is about 1e-5 and decays
    np.testing.assert_allclose(states[-1], judge.y[:, -1], rtol=2e-5)
    assert np.abs(np.asarray(states).sum(axis=1) - 1).max() < 1e-9  # mass is kept to Newton's tolerance


def test_bdf2_keeps_its_order_when_the_step_changes():
    class Decay(Flow):
        def init(self):
            return jnp.asarray(1.0)

        def derivative(self, t, x, u):
            return -x

        def output(self, t, x, u):
            return x

    def error(n):
        steps = np.tile([1.0, 1.5], n)
        steps *= 2.0 / steps.sum()
        method, flow = BDF2(), Decay()

        def tick(carry, dt):
            t, x, m = carry
            x, m = method.step(flow, t, dt, x, None, m)
            return (t + dt, x, m), None

        start = (0.0, flow.init(), method.init(flow, flow.init()))
        (_, x, _), _ = jax.jit(lambda: jax.lax.scan(tick, start, jnp.asarray(steps)))()
        return abs(float(x) - np.exp(-2.0))

    assert np.log2(error(40) / error(80)) == pytest.approx(2, abs=0.15)


def test_the_amplification_is_the_largest_root_of_the_characteristic_polynomial():
    z = np.array([-1.0, -0.1 + 2.0j, 1e-3j, 0.5 + 0.5j, -50.0])
    roots = [np.roots([3 - 2 * value, -4.0, 1.0]) for value in z]
    np.testing.assert_allclose(BDF2().amplification(z), [np.abs(pair).max() for pair in roots], rtol=1e-12)


def test_a_tolerance_of_zero_is_rejected():
    with pytest.raises(ParameterError, match=r"BDF2.tolerance: got 0; must be above 0"):
        BDF2(tolerance=0.0)


def test_secant_and_newton_iterations_converge_to_the_same_result():
    exact = run(Stiff(), BDF2(), 0.04, 200)
    secant = run(Stiff(), BDF2(iteration="secant"), 0.04, 200)
    # both solve to a tolerance of 1e-10; a secant iteration's last step is less far below it
    np.testing.assert_allclose(secant, exact, atol=1e-9)
