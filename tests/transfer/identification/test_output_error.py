import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import Delay, SecondOrderLag, Series, TransferFunction
from dovetail.transfer.identification import fit_transfer_function

dt = 1e-3  # [s]


@pytest.mark.slow
def test_first_order_of_the_hydraulic_rig(record, sweep):
    u = sweep(0.01, 10.0, 10.0, dt)  # [Wallace 2006, eq. 6.25], its sweep in a sixth of the time
    y = record(TransferFunction([166.5], [1.0, 169.3]), u, dt, noise=0.02)
    found = fit_transfer_function(u, y, dt, poles=1, delay=0.0)
    # gain and lag at low frequency are what a sweep to 10 Hz determines
    assert found.numerator[0] / found.denominator[1] == pytest.approx(166.5 / 169.3, rel=0.003)
    assert 1 / found.denominator[1] == pytest.approx(1 / 169.3, rel=0.03)
    assert found.delay_error == 0.0


@pytest.mark.slow
def test_second_order_with_a_delay(record, sweep):
    u = sweep(0.5, 60.0, 6.0, dt)
    part = Series((Delay(3.6e-3), SecondOrderLag(235.4, 0.684, 1.02)))
    found = fit_transfer_function(u, record(part, u, dt, noise=0.01), dt, poles=2)
    assert found.delay == pytest.approx(3.6e-3, abs=4 * found.delay_error)
    assert found.delay_error < 0.1e-3
    assert np.sqrt(found.denominator[2]) == pytest.approx(235.4, rel=0.01)
    assert found.denominator[1] / (2 * np.sqrt(found.denominator[2])) == pytest.approx(0.684, rel=0.01)
    assert found.numerator[0] / found.denominator[2] == pytest.approx(1.02, rel=0.003)
    model = found.fit.model.linear()
    assert model.low_frequency_delay == pytest.approx(float(part.linear().low_frequency_delay), abs=0.02e-3)


@pytest.mark.slow
def test_a_zero_on_the_right(record, sweep):
    u = sweep(0.5, 80.0, 6.0, dt)
    part = TransferFunction([-180.9, 5.651e4], [1.0, 321.8, 5.54e4])
    found = fit_transfer_function(u, record(part, u, dt, noise=0.01), dt, poles=2, zeros=1, delay=0.0)
    np.testing.assert_allclose(found.numerator, [-180.9, 5.651e4], rtol=0.01)
    np.testing.assert_allclose(found.denominator, [1.0, 321.8, 5.54e4], rtol=0.01)


def test_without_noise_the_parameters_are_identified_accurately(record):
    u = np.random.default_rng(0).normal(size=1500)
    part = TransferFunction([5.0e4], [1.0, 300.0, 5.5e4])
    found = fit_transfer_function(u, record(part, u, dt), dt, poles=2, delay=0.0)
    np.testing.assert_allclose(found.denominator, [1.0, 300.0, 5.5e4], rtol=1e-6)
    assert str(found).startswith("[5e+04] / [1 300 5.5e+04], delay 0 ms: explains 100 %")


def test_a_delay_at_the_end_of_the_search_is_identified(record):
    """Noise correlates over a millisecond only, so a start at another delay ends at a wrong one."""
    u = np.random.default_rng(2).normal(size=1500)
    part = Series((Delay(24e-3), SecondOrderLag(600.0, 0.3)))
    fit = fit_transfer_function(u, record(part, u, dt), dt, poles=2, max_delay=24e-3)
    assert fit.delay == pytest.approx(24e-3, rel=1e-6)


def test_faults_are_reported():
    u = np.ones(200)
    with pytest.raises(ParameterError, match="got 1 poles and 2 zeros"):
        fit_transfer_function(u, u, dt, poles=1, zeros=2)
    with pytest.raises(ParameterError, match="at least 20 samples for each parameter"):
        fit_transfer_function(u[:30], u[:30], dt, poles=2)
