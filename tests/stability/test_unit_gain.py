"""Frequencies at which a loop's gain is one, against loops whose gain is known."""

import numpy as np
import pytest

from dovetail.stability import StateSpace
from dovetail.stability.unit_gain import on_the_axis, unit_gains
from dovetail.transfer.linear import LinearTransfer


def test_a_lag_crosses_unit_gain_at_its_closed_form():
    """|g/(1 + j w T)| = 1 at w = sqrt(g^2 - 1)/T, with the phase -atan(w T)."""
    (only,) = unit_gains(StateSpace.from_transfer_function(LinearTransfer([3.0], [0.1, 1.0])))
    assert only.omega == pytest.approx(np.sqrt(8.0) / 0.1, rel=1e-12)
    assert only.phase == pytest.approx(2 * np.pi - np.arctan(np.sqrt(8.0)), rel=1e-12)
    assert only.falling
    assert only.residual < 1e-12
    assert unit_gains(StateSpace.from_transfer_function(LinearTransfer([0.5], [0.1, 1.0]))) == []


def test_a_resonance_is_entered_and_left():
    """k/(1 - w^2 + 2 j z w) with k below one: two crossings about the peak, however narrow."""
    for ratio in (0.05, 1e-3, 1e-6):
        gains = unit_gains(
            StateSpace.from_transfer_function(LinearTransfer([4 * ratio], [1.0, 2 * ratio, 1.0]))
        )
        assert [gain.falling for gain in gains] == [False, True]
        for gain in gains:
            w = gain.omega
            assert abs(4 * ratio / (1 - w**2 + 2j * ratio * w)) == pytest.approx(1.0, rel=1e-9)


def test_a_gain_that_only_touches_one_has_no_crossing():
    touching = StateSpace.from_transfer_function(
        LinearTransfer([1.0], [1.0, 1.0])
    )  # one at rest, below it everywhere else
    assert unit_gains(touching) == []


def test_axes_that_are_coupled_have_the_crossings_of_their_eigenvalues():
    rng = np.random.default_rng(4)
    turned = rng.standard_normal((2, 2))
    lags = StateSpace(
        -np.eye(2), np.diag([3.0, 5.0]) @ turned, np.linalg.inv(turned), np.zeros((2, 2))
    )  # eigenvalues 3/(1 + s) and 5/(1 + s)
    assert [gain.omega for gain in unit_gains(lags)] == pytest.approx(np.sqrt([8.0, 24.0]), rel=1e-9)


def test_a_sampled_loop_has_its_frequencies_on_the_circle():
    """g/(z - a): |z - a| = g at cos(theta) = (1 + a^2 - g^2)/(2 a)."""
    a, g = 0.5, 1.2
    (only,) = unit_gains(on_the_axis(StateSpace([[a]], [[g]], [[1.0]], [[0.0]])))
    assert np.cos(2 * np.arctan(only.omega)) == pytest.approx((1 + a**2 - g**2) / (2 * a), rel=1e-12)


def test_an_undamped_loop_passes_one_on_both_sides_of_its_pole():
    undamped = StateSpace.from_transfer_function(LinearTransfer([0.5], [1.0, 0.0, 1.0]))
    assert [gain.omega for gain in unit_gains(undamped)] == pytest.approx(np.sqrt([0.5, 1.5]), rel=1e-9)
