"""Waves read from recordings of a string whose waves are known."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.mechanics.chain.waves import follow_waves, transverse, wave_speeds

LENGTH, SPEED = 20.0, 25.0  # [m], [m/s]


def string(duration=2.0):
    """A pulse sent from the drogue's end of a straight string, turned over at the tow point, a fifth of it lost."""
    t = np.linspace(0.0, duration, 801)
    s = np.linspace(0.0, LENGTH, 21)  # from the tow point

    def pulse(u):
        return 0.05 * np.exp(-(((u - 0.1) / 0.03) ** 2))

    out, back = (t[:, None] - (LENGTH - sign * s) / SPEED for sign in (1, -1))
    position = np.zeros((t.size, 21, 3))
    position[..., 0], position[..., 2] = -s, pulse(out) - 0.8 * pulse(back)
    return t, position


def test_a_wave_runs_at_its_speed_and_is_back_after_two_lengths():
    t, position = string()
    found = follow_waves(t, position)
    # fastest at the steep sides of the pulse, 0.1 s after it was sent, give or take its width
    expected = (LENGTH - np.arange(1, 19)) / SPEED + 0.1
    np.testing.assert_allclose(found.arrival[3:], expected[3:], atol=0.03)
    assert found.at_support == pytest.approx(expected[0], abs=0.06)  # where the pulse meets its own return
    assert found.back == pytest.approx((2 * LENGTH - 2) / SPEED + 0.1, abs=0.04)
    steepest = 0.05 * np.sqrt(2 / np.e) / 0.03  # of the pulse
    assert found.whip == pytest.approx(0.8 * steepest, rel=0.1)


def test_both_layouts_are_read_and_motion_along_the_string_does_not_count():
    t, position = string()
    slid = position.copy()
    slid[..., 0] += 0.3 * t[:, None]
    np.testing.assert_allclose(
        follow_waves(t, np.swapaxes(slid, 1, 2)).arrival, follow_waves(t, position).arrival, atol=5e-3
    )
    assert np.abs(transverse(slid)[..., 0]).max() < 1e-5  # of 0.6 m: the pulse's tail tilts the start


def test_a_recording_that_ends_before_the_reflection_has_no_wave_speed():
    t, position = string(0.85)
    assert np.isnan(follow_waves(t, position).back)


def test_waves_run_as_on_a_string():
    assert float(wave_speeds(2500.0, 4.0)) == 25.0


def test_too_few_samples_are_rejected():
    with pytest.raises(AnalysisError, match="expected at least 8"):
        follow_waves(np.arange(3.0), np.zeros((3, 5, 3)))
