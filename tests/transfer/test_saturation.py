import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import AmplitudeLimit, RateLimit

dt = 1e-3  # [s]
signal = np.random.default_rng(2).normal(size=200)


@pytest.mark.parametrize("limit", [AmplitudeLimit(0.5), RateLimit(300.0)])
def test_a_limit_twice_is_the_limit_once(drive, limit):
    once = drive(limit, signal, dt)
    np.testing.assert_allclose(drive(limit, once, dt), once, atol=1e-15)


def test_within_the_stroke_nothing_changes(drive):
    y = drive(AmplitudeLimit(0.5), signal, dt)
    inside = np.abs(signal) <= 0.5
    np.testing.assert_array_equal(y[inside], signal[inside])
    np.testing.assert_array_equal(y[~inside], 0.5 * np.sign(signal[~inside]))


def test_the_speed_is_never_exceeded_and_the_demand_is_reached(drive):
    y = np.r_[0.0, drive(RateLimit(300.0), signal, dt)]
    assert np.abs(np.diff(y)).max() <= 0.3 * (1 + 1e-12)
    slow = np.abs(signal - y[:-1]) <= 0.3
    np.testing.assert_array_equal(y[1:][slow], signal[slow])


def test_a_step_is_reached_at_top_speed(drive):
    y = drive(RateLimit(2.0), np.ones(600), dt)
    np.testing.assert_allclose(y, np.minimum(2.0 * dt * np.arange(1, 601), 1.0), atol=1e-12)


def test_each_axis_has_its_limit(drive):
    y = drive(AmplitudeLimit([0.1, 1.0]), np.full((1, 2), 5.0), dt)
    np.testing.assert_array_equal(y, [[0.1, 1.0]])


def test_faults_are_reported():
    with pytest.raises(ParameterError, match=r"AmplitudeLimit.limit: got 0; must be above 0"):
        AmplitudeLimit(0.0)
    with pytest.raises(ParameterError, match=r"RateLimit.limit: got -1; must be above 0"):
        RateLimit(-1.0)
