import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from dovetail.transfer import FirstOrderLag, SecondOrderLag
from dovetail.transfer.lag import _decayed_cosh_sinhc

dt = 2e-3  # [s]
t = dt * np.arange(0, 301)
signal = np.random.default_rng(1).normal(size=301).cumsum() / 10
signal[0] = 0.0
LAGS = {
    "first": (FirstOrderLag(5.9e-3, 0.98), ([0.98], [5.9e-3, 1.0])),
    "slow first": (FirstOrderLag(3.0), ([1.0], [3.0, 1.0])),
    "fast first": (FirstOrderLag(1e-5), ([1.0], [1e-5, 1.0])),
    "under-damped": (
        SecondOrderLag(235.4, 0.684, 1.02),
        ([1.02 * 235.4**2], [1, 2 * 0.684 * 235.4, 235.4**2]),
    ),
    "critically damped": (SecondOrderLag(80.0, 1.0), ([80.0**2], [1, 160.0, 80.0**2])),
    "over-damped": (SecondOrderLag(80.0, 3.0), ([80.0**2], [1, 480.0, 80.0**2])),
    "undamped": (SecondOrderLag(80.0, 0.0), ([80.0**2], [1, 0.0, 80.0**2])),
}


@pytest.mark.parametrize("name", LAGS)
def test_a_ramp_between_samples_has_the_exact_response(drive, name):
    lag, system = LAGS[name]
    _, expected, _ = scipy.signal.lsim(system, signal, t)  # interpolates the input linearly, exact
    y = drive(lag, signal[1:], dt)
    np.testing.assert_allclose(y, expected[1:], atol=1e-11)  # round-off of 300 steps of each method


@pytest.mark.parametrize("name", LAGS)
def test_a_held_input_acts_over_the_whole_step(drive, name):
    lag, system = LAGS[name]
    held = type(lag)(**{**_parameters(lag), "hold": "zoh"})
    _, expected, _ = scipy.signal.lsim(system, np.r_[signal[1:], 0.0], t, interp=False)  # old value held
    y = drive(held, signal[1:], dt)
    np.testing.assert_allclose(y, expected[1:], atol=1e-11)


def _parameters(lag):
    names = ("tau", "gain") if isinstance(lag, FirstOrderLag) else ("omega", "damping", "gain")
    return {name: getattr(lag, name) for name in names}


def test_damping_may_pass_through_critical_without_a_jump(drive):
    def last(damping):
        return drive(SecondOrderLag(80.0, damping), signal[1:40], dt)[-1]

    # at critical damping, and on both sides of where the series takes over from cos and cosh
    switch = np.sqrt(1 + np.array([-1.0, 1.0]) * 1e-3 / (80.0 * dt) ** 2)
    for damping in (1.0, *switch):
        near = jnp.asarray(damping) + jnp.array([-1e-6, 0.0, 1e-6])
        values, slopes = jax.vmap(jax.value_and_grad(last))(near)
        straight = values[1] + slopes[1] * (near - damping)
        np.testing.assert_allclose(values, straight, atol=1e-12)  # curvature 0.2 x (1e-6)^2, and round-off
        np.testing.assert_allclose(slopes, slopes[1], rtol=1e-4)


@pytest.mark.parametrize("lag", [FirstOrderLag(1e-6), SecondOrderLag(1e6, 0.5), SecondOrderLag(1e3, 300.0)])
def test_any_step_is_stable(drive, lag):
    y = drive(lag, np.ones(50), 0.1)
    assert np.all(np.isfinite(y))
    assert np.abs(y).max() < 2.0


def test_at_low_frequency_a_second_order_lag_is_a_delay(drive):
    g = SecondOrderLag(235.4, 0.684, 1.02).linear()
    assert g.low_frequency_delay == pytest.approx(2 * 0.684 / 235.4)
    assert g.phase_delay(2 * np.pi * 3) == pytest.approx(5.8e-3, abs=1e-4)  # [s] 5.81 ms


def test_parameters_may_be_given_per_axis(drive):
    pair = np.stack([signal[1:60], signal[2:61]], axis=1)
    y = drive(SecondOrderLag([235.4, 211.4], [0.684, 0.697], 1.02), pair, dt)
    np.testing.assert_allclose(y[:, 1], drive(SecondOrderLag(211.4, 0.697, 1.02), pair[:, 1], dt), atol=1e-14)
    g = SecondOrderLag([235.4, 211.4], [0.684, 0.697], 1.02).linear()
    np.testing.assert_allclose(g.axis(1)(50j), SecondOrderLag(211.4, 0.697, 1.02).linear()(50j))
    np.testing.assert_allclose(g.phase_delay(5.0)[1], g.axis(1).phase_delay(5.0))


def test_decayed_cosh_and_sinhc_are_those_of_the_library_on_both_sides_of_zero():
    size = np.geomspace(1e-4, 1.0, 41)
    for d in np.r_[-size, size]:
        root = np.sqrt(abs(d))
        expected = (np.cos(root), np.sin(root) / root) if d < 0 else (np.cosh(root), np.sinh(root) / root)
        found = _decayed_cosh_sinhc(jnp.asarray(d), jnp.asarray(0.7))
        np.testing.assert_allclose(found, np.exp(-0.7) * np.array(expected), rtol=1e-15 + 2e-15 * (d > 0))
