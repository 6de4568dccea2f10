import math

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity import growth_rate


def growing(make, rate, *, frequency=7.1, duration=10.0, forced=0.0, noise=0.0):
    t = np.arange(round(duration * 1000)) / 1000.0
    y = 1e-3 * np.exp(rate * t) * np.sin(2 * math.pi * frequency * t)
    y += forced * np.sin(2 * math.pi * 3.0 * t) + noise * np.random.default_rng(3).standard_normal(len(t))
    return make.recording(t, displacement=y)


@pytest.mark.parametrize("rate", [0.1097, 3.82, -0.5, 0.0])
def test_an_exponential_envelope_gives_its_rate(make, rate):
    # growth inside the window, a factor of three at 3.82 1/s, lets some ripple through
    assert growth_rate(growing(make, rate, duration=4.0)) == pytest.approx(rate, rel=5e-4, abs=2e-4)


@pytest.mark.parametrize("rate", [0.1097, 2.0, -0.5])
def test_growth_under_a_forced_motion_is_seen_at_its_frequency(make, rate):
    run = growing(make, rate, forced=0.01)  # ten times the growing part at the start
    assert growth_rate(run, frequency=7.1) == pytest.approx(rate, abs=0.005)  # 5 % of the published 0.105 1/s


def test_a_frequency_slightly_off_still_gives_the_rate(make):
    assert growth_rate(growing(make, 0.5), frequency=7.3) == pytest.approx(0.5, abs=0.005)


def test_growth_is_seen_in_noise(make):
    assert growth_rate(growing(make, 0.5, noise=1e-4), frequency=7.1) == pytest.approx(0.5, abs=0.01)


def test_a_stretch_can_be_chosen(make):
    t = np.arange(8000) / 1000.0
    envelope = np.where(t < 4, np.exp(-t), np.exp(-4 + 2 * (t - 4)))
    run = make.recording(t, displacement=envelope * np.sin(2 * np.pi * 7.1 * t))
    assert growth_rate(run, stop=3.9) == pytest.approx(-1.0, abs=0.02)
    assert growth_rate(run, start=4.2) == pytest.approx(2.0, abs=0.02)


def test_each_axis_has_its_own_rate(make):
    a, b = growing(make, 1.0), growing(make, -1.0)
    run = make.recording(a.time.values, displacement=np.stack([a.displacement, b.displacement], axis=1))
    np.testing.assert_allclose(growth_rate(run), [1.0, -1.0], atol=0.01)


def test_too_few_swings_have_no_rate(make):
    with pytest.raises(AnalysisError, match="growth rate needs at least"):
        growth_rate(growing(make, 1.0, duration=0.3))


def test_an_empty_stretch_has_no_rate(make):
    with pytest.raises(AnalysisError, match="has 0 samples from 20"):
        growth_rate(growing(make, 1.0), start=20.0)


def test_a_frequency_beyond_the_samples_is_rejected(make):
    with pytest.raises(ParameterError, match="must be above 0 and below 500 Hz"):
        growth_rate(growing(make, 1.0), frequency=1000.0)
