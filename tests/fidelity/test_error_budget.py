import math

import pytest

from dovetail.fidelity import error_budget


def test_a_pure_delay_is_all_delay(make):
    found = error_budget(make.delayed_sine(delay=6.77e-3))
    assert found.by_delay == pytest.approx(2 * math.sin(math.pi * 3.0 * 6.77e-3), rel=2e-3)  # cut at the ends
    assert found.by_amplitude < 1e-4  # linear interpolation between samples
    assert found.residual < 1e-4


def test_a_gain_is_all_amplitude(make):
    found = error_budget(make.delayed_sine(gain=0.9))
    assert (found.gain, found.by_amplitude) == pytest.approx((0.9, 0.1), rel=1e-6)
    assert found.by_delay < 1e-4


def test_noise_is_the_rest(make):
    found = error_budget(make.delayed_sine(delay=6.77e-3, noise=5e-4))
    assert found.residual == pytest.approx(5e-4 / (0.01 / math.sqrt(2)), rel=0.05)  # 5000 samples of noise
    assert found.delay == pytest.approx(6.77e-3, abs=1.5e-4)
