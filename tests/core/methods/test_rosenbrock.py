"""A linearly implicit step: stiff motion at a long step, without an iteration."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow, Rosenbrock3, stability_limit


class Relaxing(Flow):
    """Van der Pol's oscillator with a stiffness of 100: slow and fast stretches."""

    def init(self):
        return jnp.array([2.0, -0.66])

    def derivative(self, t, x, u):
        return jnp.stack([x[1], 100 * ((1 - x[0] ** 2) * x[1] - x[0])])

    def output(self, t, x, u):
        return x


def test_it_follows_a_stiff_oscillator_as_an_accurate_code_does():
    from scipy.integrate import solve_ivp

    method, flow, h = Rosenbrock3(), Relaxing(), 5e-3

    def one(k, x):
        return method.step(flow, k * h, h, x, None, ())[0]

    x = jax.jit(lambda: jax.lax.fori_loop(0, 100, one, flow.init()))()
    judge = solve_ivp(
        lambda t, y: [y[1], 100 * ((1 - y[0] ** 2) * y[1] - y[0])],
        (0, 0.5),
        [2.0, -0.66],
        method="Radau",
        rtol=1e-10,
        atol=1e-12,
    )
    # the slowest rate of decay, about 300 /s, is 1.5 times the step: the error is that of the slow motion, h^3
    np.testing.assert_allclose(x, judge.y[:, -1], rtol=1e-5)


def test_any_step_is_stable_and_the_fastest_motion_decays_at_once():
    assert stability_limit(Rosenbrock3(), [-1.0, 1j, -1 + 5j]) == np.inf
    assert Rosenbrock3().amplification(np.asarray(-1e9)) == pytest.approx(0.0, abs=1e-8)
