"""Error control of the explicit pairs, against SciPy and the closed form."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core import RK4, AdaptiveRungeKutta, DormandPrince5, DormandPrince8, Flow
from dovetail.core.errors import ParameterError
from dovetail.core.methods import BogackiShampine
from dovetail.core.methods.runge_kutta import step_with_error

PAIRS = [BogackiShampine(), DormandPrince5(), DormandPrince8()]


class Pendulum(Flow):
    def init(self):
        return jnp.array([2.0, 0.0])

    def derivative(self, t, x, u):
        return jnp.stack([x[1], -jnp.sin(x[0]) + 0.1 * jnp.cos(t)])

    def output(self, t, x, u):
        return {}


def end(method, duration=10.0):
    flow = Pendulum()
    x = flow.init()
    return jax.jit(lambda: method.advance(flow, 0.0, duration, x, None, method.init(flow, x)))()


@pytest.mark.parametrize("pair", PAIRS)
def test_the_error_estimate_has_the_order_it_declares(pair):
    def estimate(h):
        return float(
            jnp.linalg.norm(step_with_error(pair.tableau, Pendulum(), 0.3, h, jnp.array([2.0, 0.5]), None)[1])
        )

    h = 0.4 if pair.order == 8 else 0.05
    assert np.log2(estimate(h) / estimate(h / 2)) == pytest.approx(pair.tableau.error_order, abs=0.35)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_result_is_that_of_scipy_to_the_tolerance(pair):
    judge = solve_ivp(
        lambda t, x: [x[1], -np.sin(x[0]) + 0.1 * np.cos(t)],
        (0, 10),
        [2.0, 0.0],
        rtol=1e-12,
        atol=1e-13,
        method="DOP853",
    ).y[:, -1]
    x, memory = end(AdaptiveRungeKutta(method=pair, rtol=1e-7, atol=1e-9))
    np.testing.assert_allclose(x, judge, atol=2e-6)
    fewer = end(AdaptiveRungeKutta(method=pair, rtol=1e-4, atol=1e-6))[1]
    assert 0 < float(fewer.steps[0]) < 0.7 * float(memory.steps[0])


def test_no_step_is_longer_than_allowed():
    assert float(end(AdaptiveRungeKutta(max_step=1e-2))[1].steps[0]) >= 1000


def test_a_method_without_an_error_estimate_is_rejected():
    with pytest.raises(ParameterError, match=r"AdaptiveRungeKutta\.method: RK4 has no error estimate"):
        AdaptiveRungeKutta(method=RK4())
