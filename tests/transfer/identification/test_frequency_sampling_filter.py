import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import SecondOrderLag, TransferFunction
from dovetail.transfer.identification import sampled_step_response

dt = 1e-3  # [s]
# a demand that changes at random every 20 ms: rich at low frequency, and a staircase within reach of a rig
demand = np.repeat(np.random.default_rng(0).normal(size=600), 20)
PART = TransferFunction([13618.0], [2.2, 150.8, 13618.0])  # [Wallace 2006, table 4.1]


def true_step(record, n):
    return record(PART, np.ones(n), dt)


def test_the_step_response_is_identified_without_a_model(record):
    found = sampled_step_response(demand, record(PART, demand, dt), dt, settling=0.3, pairs=40)
    exact = true_step(record, 300)
    assert np.abs(found.response - exact).max() < 0.01  # what lies beyond 40/0.3 s = 133 Hz: (12.5/133)^2
    assert found.time[-1] == pytest.approx(0.299)


def test_noise_reduces_the_filter_count_and_the_error_is_reported(record):
    noise = 0.1
    found = sampled_step_response(demand, record(PART, demand, dt, noise), dt, settling=0.3)
    exact = true_step(record, 300)
    assert len(found.centres) - 1 < 30
    assert np.std(found.residual) == pytest.approx(noise, rel=0.03)
    miss = np.abs(found.response - exact)
    assert miss.max() < 0.04
    assert np.mean(miss[50:] < 2 * found.error[50:]) > 0.85  # 95 % but for the correlation between times


def test_the_centres_are_the_frequency_response(record):
    found = sampled_step_response(demand, record(PART, demand, dt), dt, settling=0.3, pairs=30)
    exact = [complex(PART.linear()(2j * np.pi * f)) for f in found.frequency[:10]]
    np.testing.assert_allclose(
        found.centres[:10], exact, atol=0.02
    )  # of the ramped record: a per cent at 30 Hz


def test_gains_of_the_inner_loop_are_distinguished(record):
    rises = []
    for frequency in (60.0, 68.0, 78.7):  # [rad/s] as of kp = 0.6, 0.8, 1.0: the square goes with the gain
        y = record(SecondOrderLag(frequency, 33.0 / frequency), demand, dt, 0.05)
        found = sampled_step_response(demand[:4000], y[:4000], dt, settling=0.3, max_pairs=15)
        rises.append(found.time[np.argmax(found.response > 0.5)])
    assert rises[0] > rises[1] > rises[2]


def test_faults_are_reported():
    t = dt * np.arange(5000)
    slow = np.sin(2 * np.pi * 3.0 * t)
    with pytest.raises(AnalysisError, match=r"does not excite 0 Hz"):
        sampled_step_response(slow, slow, dt, settling=1.0)
    few = 1.0 + np.sin(2 * np.pi * 1.0 * t) + np.sin(2 * np.pi * 2.0 * t)
    with pytest.raises(AnalysisError, match=r"does not excite 3 Hz, .* at most 2 pairs"):
        sampled_step_response(few, few, dt, settling=1.0, pairs=30)
    with pytest.raises(ParameterError, match="longer than the settling time by five samples"):
        sampled_step_response(demand[:400], demand[:400], dt, settling=0.3)
