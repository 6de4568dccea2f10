"""Polynomial predictors inside the loop, against the published intervals."""

import numpy as np
import pytest

from dovetail.stability import (
    forward_limit,
    linear_loop,
    predictor_taps,
    single_interface,
    stable_horizons,
    with_predictor,
)
from dovetail.transfer.linear import LinearTransfer

from .systems import K, middle_mass, one_mass, two_numerical_masses

TAU, DT = 9.4e-3, 1e-3  # s
LIGHT = one_mass(TAU, c=3.0)


@pytest.mark.parametrize(
    ("order", "window", "low", "high", "frequency"),
    [
        (2, 10, 7.590e-3, 41.00e-3, 33.7),
        (4, 16, 8.084e-3, 15.51e-3, 117.0),
        (4, 10, 8.074e-3, 12.13e-3, None),
        (3, 10, 8.025e-3, 21.78e-3, None),
    ],
)
def test_r29_stable_prediction_lengths(order, window, low, high, frequency):
    found = stable_horizons(LIGHT, order=order, window=window, dt=DT, low=7e-3, high=45e-3, points=40)
    assert len(found) == 1
    (interval,) = found
    assert interval.low == pytest.approx(low, abs=6e-7)  # published to the microsecond
    assert interval.high == pytest.approx(high, abs=6e-6)  # published to ten microseconds
    if frequency:
        assert interval.upper.omega / (2 * np.pi) == pytest.approx(frequency, rel=0.005)
    assert forward_limit(LIGHT, found) == pytest.approx(TAU - high, abs=6e-6)


def test_the_lower_end_is_near_that_of_an_exact_predictor():
    exact = TAU - float(single_interface.critical_delay(m=2.2, c=3.0, k=K, k_s=K))
    assert exact == pytest.approx(8.066e-3, abs=1e-6)
    found = stable_horizons(LIGHT, order=4, window=16, dt=DT, low=7e-3, high=10e-3, points=6)
    assert found[0].low == pytest.approx(exact, rel=0.005)
    assert forward_limit(LIGHT, found) == -np.inf  # the search ended before stability did


@pytest.mark.parametrize("window", [10, 16])
def test_r16_shortest_prediction_of_the_standard_case(window):
    found = stable_horizons(one_mass(TAU), order=4, window=window, dt=DT, low=0.0, high=9e-3, points=9)
    assert found[-1].low == pytest.approx(2.6e-3, abs=0.2e-3)  # experiment: unstable at 2.6 ms
    assert found[-1].low == pytest.approx(2.63e-3, abs=6e-6)


def test_higher_order_reproduces_the_emulated_root_better():
    emulated = np.roots([2.2, 3.0, 2 * K])[0]
    roots = {
        case: with_predictor(LIGHT, order=case[0], window=case[1], horizon=TAU, dt=DT).roots(2).values[0]
        for case in ((2, 10), (4, 16))
    }
    assert roots[2, 10].real == pytest.approx(-1.083, abs=1e-3)
    assert roots[4, 16].real == pytest.approx(-0.666, abs=1e-3)
    assert emulated.real == pytest.approx(-0.682, abs=1e-3)
    lead = with_predictor(LIGHT, order=2, window=10, horizon=10.4e-3, dt=DT).roots(2).growth
    assert lead == pytest.approx(-1.705, abs=1e-3)


def growth(actuator, order, window, k, c, horizon=TAU):
    taps = predictor_taps(order, window, horizon, DT)
    return linear_loop(two_numerical_masses(k, c), middle_mass(k, c), actuator, taps=taps).growth()


PURE = LinearTransfer([1.0], [1.0], TAU)
W = 235.4  # rad/s
BAND_LIMITED = LinearTransfer([1.02 * W**2], [1.0, 2 * 0.684 * W, W**2], 3.6e-3)


def test_r42_a_band_limited_actuator_makes_the_high_case_possible():
    assert growth(PURE, 4, 10, 9000.0, 15.0) > 0
    assert growth(BAND_LIMITED, 4, 10, 9000.0, 15.0) < 0


def test_verdicts_of_the_three_mass_study_with_a_pure_delay():
    assert growth(PURE, 2, 10, 4750.0, 6.0) < 0
    assert growth(PURE, 4, 10, 4750.0, 6.0) > 0  # stable to 8.0 ms only
    assert growth(PURE, 4, 10, 4750.0, 6.0, horizon=7.9e-3) < 0
    assert growth(PURE, 4, 16, 4750.0, 6.0) < 0
    assert growth(PURE, 4, 16, 9000.0, 15.0) > 0


def test_the_in_phase_mode_ends_the_range_of_a_low_order_predictor():
    family = lambda p: linear_loop(  # noqa: E731
        two_numerical_masses(), middle_mass(), PURE, taps=predictor_taps(2, 10, p, DT)
    )
    found = stable_horizons(family, order=2, window=10, dt=DT, low=9.4e-3, high=14e-3, points=5)
    assert found[0].high == pytest.approx(12.0e-3, rel=0.02)  # published to two figures
    assert found[0].upper.omega / (2 * np.pi) == pytest.approx(5.7, abs=0.1)


def test_taps_are_the_predictors_weights_and_ages():
    taps = predictor_taps(2, 3, 1e-3, DT)
    assert [w for w, _ in taps] == pytest.approx([3.0, -3.0, 1.0])
    assert [age for _, age in taps] == pytest.approx([0.0, 1e-3, 2e-3])
