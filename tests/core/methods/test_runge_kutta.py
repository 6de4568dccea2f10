import math

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, DormandPrince5, DormandPrince8, Euler
from dovetail.core.methods import BogackiShampine

METHODS = [Euler, RK4, BogackiShampine, DormandPrince5, DormandPrince8]


@pytest.mark.parametrize("method", METHODS)
def test_rows_sum_to_the_nodes_and_weights_to_one(method):
    tableau = method.tableau
    np.testing.assert_allclose([sum(row) for row in tableau.a], tableau.c, atol=2e-15)
    assert sum(tableau.b) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_stability_polynomial_is_the_exponential_to_the_order_and_not_beyond(method):
    tableau = method.tableau
    found = tableau.stability_polynomial()
    exact = np.array([1 / math.factorial(n) for n in range(len(found))])
    np.testing.assert_allclose(found[: tableau.order + 1], exact[: tableau.order + 1], rtol=1e-10)
    if len(found) > tableau.order + 1:
        assert found[tableau.order + 1] != pytest.approx(exact[tableau.order + 1], rel=1e-3)


def test_a_tableau_steps_an_equation_that_is_no_flow_in_numpy_or_jax():
    def f(share, x):
        return -x + share

    for x in (np.array([1.0, 2.0]), jnp.array([1.0, 2.0])):
        k1 = f(0.0, x)
        k2 = f(0.5, x + 0.05 * k1)
        k3 = f(0.5, x + 0.05 * k2)
        k4 = f(1.0, x + 0.1 * k3)
        after = RK4.tableau.step(f, x, 0.1)
        assert type(after) is type(x)
        np.testing.assert_allclose(after, x + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), rtol=1e-15)
        np.testing.assert_array_equal(RK4.tableau.step(f, x, 0.1, first=k1), after)
