import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import Delay, SecondOrderLag
from dovetail.transfer.identification import correlation_delay

dt = 1e-3  # [s]


@pytest.mark.parametrize("delay", [0.0, 3.0e-3, 9.4e-3, 21.7e-3])
def test_a_delay_is_found_between_samples(record, sweep, delay):
    u = sweep(0.5, 8.0, 10.0, dt)
    assert correlation_delay(u, record(Delay(delay), u, dt), dt, longest=40e-3) == pytest.approx(
        delay, abs=5e-6
    )


def test_a_lead_is_a_negative_delay(sweep):
    u = sweep(0.5, 8.0, 10.0, dt)
    assert correlation_delay(u[:-7], u[7:], dt, longest=40e-3) == pytest.approx(-7e-3, abs=5e-6)


def test_noise_costs_little(record, sweep):
    u = sweep(0.5, 8.0, 10.0, dt)
    y = record(Delay(9.4e-3), u, dt, noise=0.2)
    # Cramer-Rao: 0.2 / (rms rate 21 1/s x sqrt(10^4)) = 0.1 ms; four of it
    assert correlation_delay(u, y, dt, longest=40e-3) == pytest.approx(9.4e-3, abs=0.4e-3)


def test_a_lag_counts_with_its_low_frequency_delay(record, sweep):
    u = sweep(0.5, 3.0, 20.0, dt)
    found = correlation_delay(u, record(SecondOrderLag(235.4, 0.684), u, dt), dt, longest=40e-3)
    assert found == pytest.approx(2 * 0.684 / 235.4, abs=0.05e-3)


def test_faults_are_said(sweep):
    u = sweep(0.5, 8.0, 10.0, dt)
    with pytest.raises(AnalysisError, match=r"no peak within 0.005 s; look further with `longest`"):
        correlation_delay(u[30:], u[:-30], dt, longest=5e-3)
    with pytest.raises(ParameterError, match="a longest delay between one sample and half of the record"):
        correlation_delay(u, u, dt, longest=20.0)
