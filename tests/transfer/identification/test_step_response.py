import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import Delay, FirstOrderLag, SecondOrderLag, Series
from dovetail.transfer.identification import step_features

dt = 1e-3  # [s]


def stepped(record, part, height=1.0, at=100, n=1500, noise=0.0):
    return record(part, np.r_[np.zeros(at), np.full(n - at, height)], dt, noise)


def test_an_underdamped_response_gives_damping_and_frequency(record):
    y = stepped(record, SecondOrderLag(75.7, 0.416, hold="zoh"), 0.02)
    f = step_features(y, dt, start=0.099, amplitude=0.02)  # held: the step is over the whole of its sample
    assert f.final == pytest.approx(1.0, abs=1e-6)
    assert f.overshoot == pytest.approx(np.exp(-np.pi * 0.416 / np.sqrt(1 - 0.416**2)), rel=1e-3)
    assert f.damping == pytest.approx(0.416, rel=1e-3)
    assert f.omega == pytest.approx(75.7, rel=0.005)
    assert f.peak_time == pytest.approx(np.pi / 75.7 / np.sqrt(1 - 0.416**2), abs=0.2 * dt)


def test_a_delay_is_identified_as_dead_time(record):
    slow = SecondOrderLag(75.7, 0.416)
    bare = step_features(stepped(record, slow), dt, start=0.1)
    late = step_features(stepped(record, Series((Delay(20e-3), slow))), dt, start=0.1)
    assert late.dead_time - bare.dead_time == pytest.approx(20e-3, abs=1e-6)
    assert late.omega == pytest.approx(bare.omega, rel=1e-4)
    assert late.rise_time == pytest.approx(bare.rise_time, rel=1e-4)


def test_a_first_order_lag_rises_in_2_2_time_constants_without_overshoot(record):
    f = step_features(stepped(record, FirstOrderLag(0.05, 0.98)), dt, start=0.1)
    assert f.rise_time == pytest.approx(np.log(9) * 0.05, rel=2e-3)
    assert f.settling_time == pytest.approx(np.log(50) * 0.05, abs=2 * dt)
    assert f.final == pytest.approx(0.98, rel=1e-3)
    assert f.overshoot == 0.0
    assert np.isnan(f.damping)


def test_noise_below_the_band_does_not_disturb(record):
    y = stepped(record, SecondOrderLag(75.7, 0.416), noise=0.003)
    f = step_features(y, dt, start=0.1)
    assert f.damping == pytest.approx(0.416, abs=0.01)
    assert f.omega == pytest.approx(75.7, rel=0.05)


def test_it_reads_aloud(record):
    text = str(step_features(stepped(record, SecondOrderLag(75.7, 0.5)), dt, start=0.1))
    assert text.startswith("final 1, dead time ")
    assert "overshoot 16.3 %" in text


def test_faults_are_reported(record):
    with pytest.raises(AnalysisError, match="the response has not settled"):
        step_features(np.linspace(0, 1, 100), dt)
    with pytest.raises(ParameterError, match="at least 20 samples after the step"):
        step_features(np.ones(30), dt, start=0.02)
