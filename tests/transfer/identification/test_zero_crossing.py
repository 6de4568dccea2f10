import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.transfer import Delay, Series, Stiction
from dovetail.transfer.identification import crossing_delays

dt = 1e-3  # [s]


def test_a_pure_delay_is_found_at_every_crossing_of_a_sweep(record, sweep):
    u = sweep(1.0, 15.0, 60.0, dt)
    found = crossing_delays(u, record(Delay(9.4e-3), u, dt), dt)
    assert len(found.time) > 900  # two in each of 480 cycles
    np.testing.assert_allclose(found.delay, 9.4e-3, atol=2e-6)  # straight lines across a sample of a sine
    np.testing.assert_allclose(found.frequency[5:-5], 1 + 14 * found.time[5:-5] / 60, rtol=0.01)


def test_whole_samples_quantise_as_published(record, sweep):
    u = sweep(1.0, 15.0, 20.0, dt)
    found = crossing_delays(u, record(Delay(9.4e-3), u, dt), dt, between_samples=False)
    assert set(np.round(found.delay / dt).astype(int)) == {9, 10}
    assert np.median(found.delay) == pytest.approx(9e-3)
    assert found.delay.mean() == pytest.approx(9.4e-3, abs=0.1e-3)


def test_static_friction_at_the_tips_leaves_the_delay_flat(record, sweep):
    u = 0.01 * sweep(1.0, 15.0, 60.0, dt)
    found = crossing_delays(u, record(Series((Delay(9.4e-3), Stiction(1e-4))), u, dt), dt)
    np.testing.assert_allclose(found.delay[2:], 9.4e-3, atol=0.02e-3)


def test_noise_scatters_the_delay_about_the_truth(record, sweep):
    u = sweep(2.0, 8.0, 30.0, dt)
    found = crossing_delays(u, record(Delay(9.4e-3), u, dt, noise=0.01), dt)
    # [s] noise over the speed: 0.01/(2 pi 2 Hz) = 0.8 ms at most, less at higher frequency
    assert np.median(found.delay) == pytest.approx(9.4e-3, abs=0.1e-3)
    assert found.delay.std() < 1e-3


def test_signals_without_crossings_are_rejected():
    with pytest.raises(AnalysisError, match="at least three cycles"):
        crossing_delays(np.ones(100), np.ones(100), dt)
