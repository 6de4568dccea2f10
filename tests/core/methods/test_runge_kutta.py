import math

import numpy as np
import pytest

from dovetail.core import RK4, DormandPrince5, DormandPrince8, Euler

METHODS = [Euler, RK4, DormandPrince5, DormandPrince8]


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
