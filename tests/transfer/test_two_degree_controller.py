import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.transfer import TwoDegreesOfFreedom
from dovetail.transfer.factors import S, pair, ratio, single
from dovetail.transfer.two_degree_controller import step_response

INTEGRATOR = TwoDegreesOfFreedom(ratio([], [single(1e6)]), ratio([], [S], 100.0))


def test_an_integrator_round_a_stiff_plant_is_a_first_order_lag():
    assert INTEGRATOR.stable
    assert INTEGRATOR.poles()[0].real == pytest.approx(-100.0, rel=1e-3)
    assert INTEGRATOR.bandwidth() == pytest.approx(100 / (2 * np.pi), rel=1e-2)
    step = INTEGRATOR.step(0.1)
    assert step.rise_time == pytest.approx(0.01, rel=1e-2)
    assert step.settling_time == pytest.approx(np.log(50) / 100, rel=1e-2)


def test_sensitivity_and_closed_loop_add_up_to_one():
    s = 1j * np.array([1.0, 100.0, 5000.0])
    np.testing.assert_allclose(INTEGRATOR.sensitivity(s) + INTEGRATOR.closed_loop(s), 1.0)


def test_margins_equal_the_closed_form():
    """1/(s (1+s)^2) crosses -180 degrees at 1 rad/s with a gain of a half."""
    loop = TwoDegreesOfFreedom(ratio([], [single(1.0), single(1.0)]), ratio([], [S]))
    margins = loop.margins(np.geomspace(1e-3, 1e3, 100_001))
    assert margins.gain == pytest.approx(2.0, rel=1e-3)
    w = 0.6823278  # where w (1 + w^2) = 1
    assert margins.phase == pytest.approx(np.pi / 2 - 2 * np.arctan(w), rel=1e-3)


def test_a_prefilter_changes_the_response_but_not_stability():
    shaped = TwoDegreesOfFreedom(
        INTEGRATOR.plant, INTEGRATOR.controller, ratio([single(100.0)], [single(1000.0)])
    )
    np.testing.assert_allclose(shaped.poles(), INTEGRATOR.poles())
    assert shaped.step(0.05).settling_time < INTEGRATOR.step(0.1).settling_time / 5


def test_an_unstable_loop_has_no_step_response():
    loop = TwoDegreesOfFreedom(ratio([], [single(1.0), single(1.0)]), ratio([], [S], 3.0))
    assert not loop.stable
    with pytest.raises(AnalysisError, match="the loop is unstable"):
        loop.step(1.0)


def test_nichols_lines_are_phase_and_decibels():
    phase, gain = INTEGRATOR.nichols(np.array([1.0, 100.0]))
    np.testing.assert_allclose(gain, [40.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(phase, -np.pi / 2, atol=1e-3)


def test_overshoot_of_a_second_order_system():
    step = step_response(ratio([], [pair(0.5, 100.0)]), 0.2)
    assert step.overshoot == pytest.approx(np.exp(-np.pi * 0.5 / np.sqrt(0.75)), abs=1e-4)


def test_the_settling_time_begins_the_part_within_two_percent():
    step = step_response(ratio([], [pair(0.3, 100.0)]), 0.2, count=401)
    settled = int(np.flatnonzero(step.time == step.settling_time)[0])
    assert np.all(np.abs(step.output[settled:] - 1) <= 0.02)
    assert abs(step.output[settled - 1] - 1) > 0.02
    nearly_one = ratio([single(99.0)], [single(100.0)])  # starts at 100/99
    assert step_response(nearly_one, 0.2).settling_time == 0.0


def test_the_phase_margin_beyond_a_full_turn_is_the_distance_to_the_nearest_odd_half_turn():
    """Six equal lags, each late by 80 or 70 degrees where the gain is one: 60 or 120 degrees before 540."""
    for each, margin in ((80.0, 60.0), (70.0, 120.0)):
        gain = np.cos(np.radians(each)) ** -6
        loop = TwoDegreesOfFreedom(ratio([], [single(1.0)] * 6), ratio([], [], gain))
        found = loop.margins(np.geomspace(1e-3, 1e3, 100_001)).phase
        assert found == pytest.approx(np.radians(margin), rel=1e-3)
