import numpy as np
import pytest
import scipy.signal

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import PID, InnerLoop, Proportional, TransferFunction

dt = 1e-3  # [s]
SMALL_RIG = TransferFunction([0.7068, 5700.0], [1.0, 62.26, 31.61])  # [Wallace 2006, eq. 2.8]
THIRD = TransferFunction(
    [1000.0], [1.0, 15.0, 50.0, 0.0]
)  # unstable above a gain of 0.75 by Routh: 15 x 50/1000


def test_unity_feedback_of_the_small_rig():
    loop = InnerLoop(Proportional(1.0), SMALL_RIG)
    pole = loop.poles()[0]
    assert abs(pole) == pytest.approx(75.7, abs=0.05)  # [rad/s]
    assert -pole.real / abs(pole) == pytest.approx(0.416, abs=5e-4)
    g = loop.linear()
    assert g.phase_delay(2 * np.pi * 3.0) == pytest.approx(11.4e-3, abs=0.05e-3)
    assert g.phase_delay(2 * np.pi * 10.0) == pytest.approx(18.1e-3, abs=0.05e-3)


def test_the_closed_loop_is_stepped_exactly(drive):
    u = np.random.default_rng(0).normal(size=201).cumsum() / 10
    u[0] = 0.0
    closed = ([0.7068, 5700.0], [1.0, 62.26 + 0.7068, 31.61 + 5700.0])
    _, expected, _ = scipy.signal.lsim(closed, u, dt * np.arange(201))
    y = drive(InnerLoop(Proportional(1.0), SMALL_RIG), u[1:], dt)
    np.testing.assert_allclose(y, expected[1:], atol=1e-11)


def test_an_integral_removes_the_error_at_rest(drive):
    plant = TransferFunction([2000.0], [1.0, 60.0, 900.0])
    demand = np.ones(4000)
    p = drive(InnerLoop(Proportional(1.0), plant), demand, dt)[-1]
    pi = drive(InnerLoop(PID(1.0, 20.0), plant), demand, dt)[-1]
    assert p == pytest.approx(2000 / 2900, rel=1e-9)
    assert pi == pytest.approx(1.0, abs=1e-9)


def test_a_derivative_adds_damping():
    plant = TransferFunction([5000.0], [1.0, 10.0, 0.0])
    damping = [
        -p.real / abs(p) for kd in (0.0, 0.01) for p in InnerLoop(PID(1.0, 1e-9, kd), plant).poles()[-1:]
    ]
    assert damping[1] > 3 * damping[0]


def test_an_unstable_loop_is_rejected_with_the_gain_that_would_do():
    text = r"axis 0 is unstable, with a pole at .* rad/s; stability changes .* factors of 0.75"
    with pytest.raises(AnalysisError, match=text):
        InnerLoop(Proportional(1.0), THIRD).with_sample_time(dt)
    InnerLoop(Proportional(0.74), THIRD).with_sample_time(dt)


def test_a_loop_of_the_wrong_sign_is_hopeless():
    with pytest.raises(AnalysisError, match="no positive factor on the controller gain makes it stable"):
        InnerLoop(Proportional(-1.0), TransferFunction([1.0], [1.0, 0.0])).with_sample_time(dt)


def test_critical_gains_put_a_pole_on_the_imaginary_axis():
    (critical,) = InnerLoop(Proportional(1.0), THIRD).critical_gains()
    assert critical == pytest.approx(0.75)
    on_the_edge = InnerLoop(Proportional(critical), THIRD).poles()
    assert np.abs(on_the_edge.real).min() < 1e-9
    assert np.abs(on_the_edge.imag).max() == pytest.approx(np.sqrt(50.0))


def test_each_axis_may_have_its_gain(drive):
    pair = np.ones((50, 2))
    y = drive(InnerLoop(Proportional([1.0, 0.6]), SMALL_RIG), pair, dt)
    np.testing.assert_allclose(
        y[:, 1], drive(InnerLoop(Proportional(0.6), SMALL_RIG), pair[:, 1], dt), atol=1e-12
    )
    with pytest.raises(AnalysisError, match="axis 1 is unstable"):
        InnerLoop(Proportional([0.5, 1.0]), THIRD).with_sample_time(dt, (2,))


def test_a_derivative_on_a_plant_with_feedthrough_is_rejected():
    with pytest.raises(ParameterError, match=r"PID differentiates, .* lower order"):
        InnerLoop(PID(1.0, 1.0, 1.0), TransferFunction([1.0, 1.0], [1.0, 2.0]))
