"""Delay equations assembled from the parts of a test."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.stability import StateSpace, critical_delay, linear_loop, margin
from dovetail.transfer.linear import LinearTransfer

from .systems import (
    K,
    M,
    middle_mass,
    one_mass,
    one_numerical_mass,
    spring_specimen,
    three_mass,
    two_numerical_masses,
)

LATE = LinearTransfer([1.0], [1.0], 7e-3)


def residual(equation, loop, count=4):
    """Largest |1 + L(s)| over the rightmost roots: each must close the loop."""
    return np.abs(1 + loop(equation.roots(count).values)).max()


def test_one_mass_and_spring_give_the_textbook_matrices():
    equation = linear_loop(one_numerical_mass(), spring_specimen(), LATE)
    expected = one_mass(7e-3)
    assert pytest.approx(expected.A0) == equation.A0
    assert equation.As == pytest.approx(expected.As)
    assert equation.taus == pytest.approx(expected.taus)


def test_three_masses_with_two_delays_give_the_roots_written_by_hand():
    delays = [LinearTransfer([1.0], [1.0], tau) for tau in (9.4e-3, 8.6e-3)]
    equation = linear_loop(two_numerical_masses(), middle_mass(), delays)
    expected = three_mass(9.4e-3, 8.6e-3).roots(4).values
    assert equation.roots(4).values == pytest.approx(expected, rel=1e-9)
    together = LinearTransfer([1.0], [1.0], np.array([9.4e-3, 8.6e-3]))  # both axes in one description
    assert linear_loop(two_numerical_masses(), middle_mass(), together).growth() == pytest.approx(
        expected[0].real, rel=1e-9
    )


@pytest.mark.parametrize(
    "actuator",
    [
        LinearTransfer([166.5], [1.0, 169.3], 1e-3),
        LinearTransfer([5.5e4], [1.0, 321.8, 5.54e4], 3e-3),
        LinearTransfer([0.1, 166.5], [1.0, 169.3], 2e-3),  # with direct feed-through
    ],
)
def test_actuators_with_dynamics_close_the_loop_at_every_root(actuator):
    equation = linear_loop(one_numerical_mass(), spring_specimen(c_s=4.0), actuator)
    body = LinearTransfer([4.0, K], [M, 15.0, K])
    assert residual(equation, lambda s: body(s) * actuator(s)) < 1e-8


def test_a_specimen_with_mass_behind_a_rolling_off_actuator_is_retarded():
    actuator = LinearTransfer([5.5e4], [1.0, 321.8, 5.54e4], 3e-3)
    equation = linear_loop(one_numerical_mass(), spring_specimen(K, 4.0, 0.7), actuator)
    body = LinearTransfer([0.7, 4.0, K], [M, 15.0, K])
    assert residual(equation, lambda s: body(s) * actuator(s)) < 1e-8


def test_a_specimen_that_filters_acceleration_makes_a_second_round_of_delay():
    # a lagging inertial force has the delayed force in it, so 2 tau appears, but stays retarded
    lagging = StateSpace([[-50.0]], [[0.0, 0.0, 50.0]], [[-0.7]], [[-K, 0.0, 0.0]])
    equation = linear_loop(one_numerical_mass(), lagging, LATE)
    assert equation.taus == pytest.approx([7e-3, 14e-3])
    loop = lambda s: (K + 0.7 * s**2 * 50 / (s + 50)) / (M * s**2 + 15 * s + K) * np.exp(-s * 7e-3)  # noqa: E731
    assert residual(equation, loop) < 1e-8


def test_a_sensor_with_lag_and_delay_is_part_of_the_loop():
    cell = LinearTransfer([1.0], [2e-3, 1.0], 1.5e-3)
    equation = linear_loop(one_numerical_mass(), spring_specimen(), LATE, sensor=cell)
    body = LinearTransfer([K], [M, 15.0, K])
    assert residual(equation, lambda s: body(s) * LATE(s) * cell(s)) < 1e-8


def test_taps_of_each_axis_may_differ():
    taps = [[(1.5, 0.0), (-0.5, 1e-3)], [(1.0, 0.0)]]
    equation = linear_loop(two_numerical_masses(), middle_mass(), LATE, taps=taps)
    assert equation.taus == pytest.approx([7e-3, 8e-3])


def test_delayed_inertia_is_rejected_with_a_remedy_that_works():
    with pytest.raises(
        AnalysisError, match=r"linear_loop: neutral with a loop gain of 0.318 .* phase margin"
    ):
        linear_loop(one_numerical_mass(), spring_specimen(m_s=0.7), LATE)
    with pytest.raises(AnalysisError, match="any delay destabilises"):
        linear_loop(one_numerical_mass(), spring_specimen(m_s=2.5), LATE)
    by_margin = margin.delay_margin(LinearTransfer([0.7, 0.0, K], [M, 15.0, K]))
    fast = LinearTransfer([1.0], [2e-10, 2e-5, 1.0])  # roll-off far above, worth 20 microseconds
    family = linear_loop(one_numerical_mass(), spring_specimen(m_s=0.7), fast * LATE)
    assert critical_delay(family) == pytest.approx(by_margin - 2e-5, rel=2e-3)


def test_a_test_that_cannot_be_assembled_is_rejected():
    with pytest.raises(ParameterError, match="expected 1 or 2"):
        linear_loop(two_numerical_masses(), middle_mass(), [LATE])
    with pytest.raises(ParameterError, match=r"D has shape \(1, 3\); expected \(2, 6\)"):
        linear_loop(two_numerical_masses(), spring_specimen(), LATE)
    massless = StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]])
    with pytest.raises(AnalysisError, match="add mass at the interface"):
        linear_loop(massless, spring_specimen(), LATE)
