"""Adaptive time series compensation."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import AdaptiveTimeSeries
from dovetail.core.errors import ParameterError
from dovetail.transfer import SecondOrderLag


def test_the_coefficients_of_a_second_order_actuator_are_found(bench):
    w, zeta = 235.4, 0.684  # [rad/s, 1]
    signal = bench.sweep()
    out = bench.open_loop(AdaptiveTimeSeries(0.0), signal, actuator=SecondOrderLag(w, zeta))
    last = [float(out[name][-1]) for name in ("ats_a0", "ats_a1", "ats_a2")]
    # the relation is exact; smoothing and straight lines between samples leave parts in a thousand
    assert last[:2] == pytest.approx([1.0, 2 * zeta / w], rel=1e-3)
    assert last[2] == pytest.approx(1 / w**2, rel=1e-2)
    error = signal["displacement"] - out["x"]
    assert bench.rms_ratio(error, signal["displacement"], start=3.0) < 1e-3


def test_a_delay_is_found_as_the_factor_of_the_velocity(bench):
    signal = bench.sweep()
    out = bench.open_loop(AdaptiveTimeSeries(0.0), signal, 9.4e-3)
    assert out["ats_a1"][-1] == pytest.approx(9.4e-3, rel=0.02)  # third order in the delay is left out
    error = signal["displacement"] - out["x"]
    # 0.426 without; the Taylor series of the delay ends after the second term
    assert bench.rms_ratio(error, signal["displacement"], start=2.0) < 0.005


def test_a_single_sine_is_enough_to_follow_it(bench):
    signal = bench.sine(4.5, duration=5.0)
    out = bench.open_loop(AdaptiveTimeSeries(5e-3), signal, 9.4e-3)
    error = signal["displacement"] - out["x"]
    assert bench.rms_ratio(error, signal["displacement"], start=3.0) < 2e-3


def test_it_starts_from_the_expected_delay():
    compensator = AdaptiveTimeSeries(9.4e-3).with_sample_time(1e-3)
    u = {
        name: jnp.asarray(v) for name, v in dict(displacement=1.0, velocity=10.0, acceleration=100.0).items()
    }
    u["measured_displacement"] = jnp.asarray(0.0)
    _, out = eqx.filter_jit(compensator.step)(0.0, 1e-3, compensator.init(), u)
    assert out["command"] == pytest.approx(1.0 + 0.094 + 0.5 * 9.4e-3**2 * 100.0)


def test_motion_below_the_threshold_does_not_change_the_coefficients(bench):
    signal = bench.sine(4.5, amplitude=1e-4, duration=2.0)
    out = bench.open_loop(AdaptiveTimeSeries(5e-3), signal, 9.4e-3)
    assert np.all(np.asarray(out["ats_a1"]) == 5e-3)


def test_coefficients_stay_within_limits_and_rate(bench):
    signal = bench.sine(4.5, duration=3.0)
    compensator = AdaptiveTimeSeries(
        0.0, max_coefficients=(1.0, 6e-3, 0.0032), min_coefficients=(1.0, 0.0, 0.0)
    )
    out = bench.open_loop(compensator, signal, 9.4e-3)
    a1 = np.asarray(out["ats_a1"])
    assert a1.max() == 6e-3
    assert np.all(np.asarray(out["ats_a0"]) == 1.0)
    assert np.abs(np.diff(a1)).max() <= 0.05e-3 * (1 + 1e-9)  # 0.05 s/s, every millisecond


def test_each_actuator_adapts_its_own_coefficients(bench):
    signal = bench.sine(4.5, duration=4.0)
    signal.update({name: np.stack([v, v], axis=1) for name, v in signal.items()})
    out = bench.open_loop(AdaptiveTimeSeries(5e-3), signal, jnp.array([9.4e-3, 4.0e-3]))
    assert out["ats_a1"][-1] == pytest.approx([9.4e-3, 4.0e-3], rel=0.03)


def test_it_can_be_batched_over_and_differentiated(bench):
    signal = bench.sine(4.5, duration=0.4)

    def last(delay):
        compensator = AdaptiveTimeSeries(delay, window=0.2)
        return bench.open_loop(compensator, signal, 9.4e-3)["command"][-1]

    commands, slopes = jax.vmap(lambda d: jax.jvp(last, (d,), (1.0,)))(5e-3 + jnp.array([-1e-8, 0.0, 1e-8]))
    assert slopes[1] == pytest.approx(float(commands[2] - commands[0]) / 2e-8, rel=1e-2)  # central difference


def test_an_even_smoothing_window_is_rejected():
    with pytest.raises(ParameterError, match=r"smoothing_window: got 8; expected an odd number"):
        AdaptiveTimeSeries(0.01, smoothing_window=8)


def test_a_window_too_short_for_three_coefficients_is_rejected():
    with pytest.raises(ParameterError, match=r"1 samples of 0.016 s.*at least 3"):
        AdaptiveTimeSeries(0.01, window=0.02).with_sample_time(1e-3)


def test_initial_coefficients_are_limited_before_the_first_sample():
    """A lag is not a delay: its a2 is less than delay^2/2, and the limits may know that."""
    lag = AdaptiveTimeSeries(delay=0.02, max_coefficients=(1.3, 0.06, 1e-4))
    np.testing.assert_allclose(lag.init()["coefficients"], [1.0, 0.02, 1e-4])
    frozen = lag.without_adaptation()
    np.testing.assert_allclose([frozen.mass, frozen.damping, frozen.stiffness], [1e-4, 0.02, 1.0])
    np.testing.assert_allclose(lag.response(30.0, 1e-3), 1 + 0.6j - 0.09)


def test_every_actuator_starts_from_its_own_delay():
    two = AdaptiveTimeSeries(delay=[0.01, 0.02])
    np.testing.assert_allclose(
        two.without_adaptation().damping, [0.01, 0.02]
    )  # before its shape is fixed, too
    np.testing.assert_allclose(two.with_sample_time(1e-3, (2,)).init()["coefficients"][1], [0.01, 0.02])


def test_at_rest_without_threshold_the_coefficients_stay_finite_and_constant(bench):
    signal = bench.sine(4.5, amplitude=0.0, duration=0.4)
    out = bench.open_loop(AdaptiveTimeSeries(5e-3, window=0.2, min_motion=0.0), signal, 9.4e-3)
    np.testing.assert_array_equal(out["ats_a1"], 5e-3)
    np.testing.assert_array_equal(out["command"], 0.0)
