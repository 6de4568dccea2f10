import jax
import numpy as np
import pytest
import scipy.signal

from dovetail.core.errors import ParameterError
from dovetail.transfer import FirstOrderLag, SecondOrderLag, TransferFunction

dt = 2e-3  # [s]
t = dt * np.arange(0, 301)
signal = np.random.default_rng(1).normal(size=301).cumsum() / 10
signal[0] = 0.0

SYSTEMS = {
    "hydraulic rig [Wallace 2006, eq. 6.25]": ([166.5], [1.0, 169.3]),
    "small rig, open loop [Wallace 2006, eq. 2.8]": ([0.7068, 5700.0], [1.0, 62.26, 31.61]),
    "with a zero on the right": ([-180.9, 5.651e4], [1.0, 321.8, 5.54e4]),
    "feedthrough": ([0.5, 3.0, 7.0], [1.0, 20.0, 400.0]),
    "integrator": ([3.0], [1.0, 0.0]),
    "fourth order": ([1e7], [1.0, 200.0, 3.0e4, 2.0e6, 1e8]),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_response_to_a_ramp_between_samples_is_exact(drive, name):
    _, expected, _ = scipy.signal.lsim(SYSTEMS[name], signal, t)
    y = drive(TransferFunction(*SYSTEMS[name]), signal[1:], dt)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(y, expected[1:], atol=1e-10 * scale)  # round-off in two matrix exponentials


def test_a_held_input_acts_over_the_whole_step(drive):
    system = SYSTEMS["with a zero on the right"]
    _, expected, _ = scipy.signal.lsim(system, np.r_[signal[1:], 0.0], t, interp=False)
    y = drive(TransferFunction(*system, hold="zoh"), signal[1:], dt)
    np.testing.assert_allclose(y, expected[1:], atol=1e-10)


def test_it_agrees_with_the_lags(drive):
    u = signal[1:100]
    first = drive(TransferFunction([2.0], [0.05, 1.0]), u, dt)
    np.testing.assert_allclose(first, drive(FirstOrderLag(0.05, 2.0), u, dt), atol=1e-12)
    second = drive(TransferFunction([400.0], [1.0, 12.0, 400.0]), u, dt)
    np.testing.assert_allclose(second, drive(SecondOrderLag(20.0, 0.3), u, dt), atol=1e-12)


def test_a_gain_is_a_transfer_function_of_order_zero(drive):
    np.testing.assert_allclose(drive(TransferFunction([3.0], [2.0]), signal[1:5], dt), 1.5 * signal[1:5])


def test_the_gain_may_increase_with_frequency_at_constant_delay():
    # the small rig's nominal model, [Wallace 2006, eq. 5.1] read with -180.9 for the printed -480.9
    g = TransferFunction([-180.9, 5.651e4], [1.0, 321.8, 5.54e4]).linear()
    omega = 2 * np.pi * np.array([0.5, 3.0, 8.0, 15.0])
    np.testing.assert_allclose(np.abs(g(1j * omega)), [1.020, 1.023, 1.035, 1.063], atol=1.5e-3)
    delays = [float(g.phase_delay(w)) for w in omega]
    np.testing.assert_allclose(delays, [9.01e-3, 9.02e-3, 9.08e-3, 9.24e-3], atol=0.005e-3)  # [s] to 3 %


def test_the_gradient_reaches_the_coefficients(drive):
    def last(a):
        return drive(TransferFunction([5.54e4], [1.0, a, 5.54e4]), signal[1:50], dt)[-1]

    h = 1e-2  # of a coefficient of 321.8
    ends, slope = jax.jit(lambda a: (jax.vmap(last)(a + np.array([-h, h])), jax.grad(last)(a)))(321.8)
    assert float(slope) == pytest.approx(float(ends[1] - ends[0]) / (2 * h), rel=1e-6)


def test_coefficients_may_be_given_per_axis(drive):
    pair = np.stack([signal[1:60], signal[2:61]], axis=1)
    y = drive(TransferFunction([[166.5, 200.0]], [[1.0, 1.0], [169.3, 150.0]]), pair, dt)
    for i, (b, a) in enumerate(((166.5, 169.3), (200.0, 150.0))):
        np.testing.assert_allclose(
            y[:, i], drive(TransferFunction([b], [1.0, a]), pair[:, i], dt), atol=1e-13
        )
    both = drive(TransferFunction([166.5], [1.0, 169.3]), pair, dt)
    np.testing.assert_allclose(both[:, 0], y[:, 0], atol=1e-13)


def test_faults_are_reported():
    with pytest.raises(ParameterError, match=r"got order 2 and a denominator of order 1; an improper system"):
        TransferFunction([1.0, 0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ParameterError, match="leading coefficient of 0"):
        TransferFunction([1.0], [0.0, 1.0])
    with pytest.raises(ParameterError, match=r"expected lists of coefficients"):
        TransferFunction(1.0, [1.0, 1.0])
    with pytest.raises(ParameterError, match=r"got shape \(2, 3\) for the interface \(2,\)"):
        TransferFunction([1.0], np.ones((2, 3))).with_sample_time(dt, (2,))
