"""Settling measures of a known decaying oscillation."""

import numpy as np
import pytest

from dovetail.air.settling_measures import settling_measures


def test_measures_of_a_decaying_swing_are_those_of_its_formula():
    t = np.linspace(0.0, 120.0, 12_001)
    y = 60.0 * (1 - np.exp(-0.1 * t) * np.cos(2 * np.pi * t / 15.0))
    found = settling_measures(t, y, wake_depth=50.0)
    assert found.final == pytest.approx(60.0, abs=1e-2)
    assert found.period == pytest.approx(15.0, rel=1e-2)
    omega = 2 * np.pi / 15.0
    assert found.peak_time == pytest.approx((np.pi - np.arctan(0.1 / omega)) / omega, abs=0.01)
    envelope = (
        np.log(1 / 0.05) / 0.1
    )  # when the envelope enters the band; the swing does at its last peak before
    assert envelope - 7.6 < found.settling_time <= envelope + 0.01  # one sample late at most
    assert found.in_wake == pytest.approx(np.sum(y < 50.0) * 0.01, abs=0.02)


def test_a_command_that_lifts_the_body_does_not_change_the_period_of_its_swings():
    t = np.linspace(0.0, 120.0, 12_001)
    swing = 60.0 * (1 - np.exp(-0.08 * t) * np.cos(2 * np.pi * t / 17.0))
    lifted = swing - 20.0 * np.clip(
        (t - 50.0) / 10.0, 0.0, 1.0
    )  # its final depth is crossed early and never again
    assert settling_measures(t, lifted).period == pytest.approx(17.0, rel=0.02)
    assert np.isnan(settling_measures(t, 60.0 * (1 - np.exp(-t))).period)
