"""The least-squares polynomial predictor."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.compensation import predictor_weights
from dovetail.core.errors import ParameterError

orders_and_windows = st.integers(0, 8).flatmap(
    lambda order: st.tuples(st.just(order), st.integers(order + 1, 11 * (order + 1)))
)


@pytest.mark.parametrize(("horizon", "weights"), [(1.0, [3.0, -3.0, 1.0]), (2.0, [6.0, -8.0, 3.0])])
def test_three_samples_of_a_parabola_give_the_published_coefficients(horizon, weights):
    # [Wallace 2006, eqs 4.17, 4.18]; whole numbers, so only rounding differs
    assert predictor_weights(2, 3, horizon) == pytest.approx(weights, abs=1e-12)


@pytest.mark.parametrize("horizon", [-0.7, 0.0, 0.3, 4.6, 20.0])
def test_three_samples_of_a_parabola_follow_the_closed_form(horizon):
    p = horizon
    closed = [(p + 1) * (p + 2) / 2, -p * (p + 2), p * (p + 1) / 2]
    assert predictor_weights(2, 3, p) == pytest.approx(closed, rel=1e-12, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(orders_and_windows, st.floats(-5.0, 60.0), st.data())
def test_a_polynomial_up_to_the_order_is_predicted_exactly(order_and_window, horizon, data):
    order, window = order_and_window
    coefficients = data.draw(st.lists(st.floats(-1.0, 1.0), min_size=order + 1, max_size=order + 1))
    signal = np.polynomial.Polynomial(coefficients, domain=[-window, 0.0])  # of size one over the window
    weights = np.asarray(predictor_weights(order, window, horizon))
    predicted = weights @ signal(-np.arange(window))
    # rounding of the samples is amplified by the weights
    assert predicted == pytest.approx(
        signal(horizon), abs=1e-12 * (1.0 + np.abs(weights).sum() * sum(map(abs, coefficients)))
    )


@settings(max_examples=15, deadline=None)
@given(orders_and_windows, st.floats(0.0, 40.0))
def test_weights_add_up_to_one(order_and_window, horizon):
    weights = np.asarray(predictor_weights(*order_and_window, horizon))
    assert weights.sum() == pytest.approx(1.0, abs=1e-13 * np.abs(weights).sum() + 1e-13)


@pytest.mark.parametrize(
    ("order", "window", "gain"), [(2, 3, 132), (2, 10, 8.2), (4, 10, 264), (4, 16, 58), (8, 20, 5886)]
)
def test_noise_gain_at_9_4_samples_is_the_tabulated_one(order, window, gain):
    # tabulated with two to four digits: half a unit in the last of them
    assert np.linalg.norm(predictor_weights(order, window, 9.4)) == pytest.approx(gain, rel=8e-3)


@pytest.mark.parametrize("window", [9, 20, 40, 60, 80, 100])
def test_order_eight_stays_accurate_up_to_a_hundred_samples(window):
    # Against exact rational arithmetic, where no basis can be ill-conditioned.
    from fractions import Fraction

    order, horizon = 8, Fraction(47, 5)
    t = [Fraction(-i, window) for i in range(window)]
    gram = [[sum(x ** (j + k) for x in t) for k in range(order + 1)] for j in range(order + 1)]
    row = [(horizon / window) ** k for k in range(order + 1)]
    solution = _solve_exactly(gram, row)
    exact = [float(sum(c * x**k for k, c in enumerate(solution))) for x in t]
    assert predictor_weights(order, window, float(horizon)) == pytest.approx(
        exact, rel=1e-9, abs=1e-9 * max(map(abs, exact))
    )


def _solve_exactly(matrix, right):
    """Gauss elimination in rational numbers."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(size):
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    solution = [0] * size
    for i in reversed(range(size)):
        solution[i] = (rows[i][size] - sum(rows[i][k] * solution[k] for k in range(i + 1, size))) / rows[i][i]
    return solution


def test_each_horizon_of_an_array_gives_a_column_of_weights():
    horizons = jnp.array([9.4, 8.6])
    weights = predictor_weights(4, 10, horizons)
    assert weights.shape == (10, 2)
    assert weights[:, 1] == pytest.approx(np.asarray(predictor_weights(4, 10, 8.6)), rel=1e-12)


def test_the_horizon_is_differentiable():
    step = 1e-5
    slope = (predictor_weights(4, 10, 9.4 + step) - predictor_weights(4, 10, 9.4 - step)) / (2 * step)
    forward = jax.jacfwd(lambda p: predictor_weights(4, 10, p))(9.4)
    assert forward == pytest.approx(np.asarray(slope), rel=1e-6, abs=1e-6)  # central difference, second order


def test_a_window_shorter_than_the_order_is_rejected_in_words():
    with pytest.raises(ParameterError, match=r"order 4 over 4 samples.*at least order \+ 1 = 5 samples"):
        predictor_weights(4, 4, 1.0)


def test_an_ill_conditioned_fit_is_rejected_rather_than_computed():
    with pytest.raises(ParameterError, match=r"condition number .*lower the order"):
        predictor_weights(40, 41, 1.0)
