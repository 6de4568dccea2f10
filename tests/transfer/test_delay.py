import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import Delay

dt = 1e-3  # [s]
t = dt * np.arange(1, 601)


def sine(t, f=5.0):
    return np.where(t > 0, np.sin(2 * np.pi * f * t), 0.0)


def test_the_delay_of_a_sine_is_the_shifted_sine(drive):
    y = drive(Delay(9.4e-3), sine(t), dt)
    # 4-point Lagrange: |error| < (w dt)^4 * max f(f-1)(f+1)(f-2)/24 = 9.7e-7 * 0.0234
    np.testing.assert_allclose(y[20:], sine(t - 9.4e-3)[20:], atol=2.3e-8)


@pytest.mark.parametrize(("interpolation", "order"), [("linear", 2), ("cubic", 4)])
def test_the_error_of_the_reconstruction_falls_with_its_order(drive, interpolation, order):
    def error(dt):
        t = dt * np.arange(1, int(0.3 / dt))
        y = drive(Delay(10.5 * dt, interpolation=interpolation), sine(t), dt)
        return np.abs(y - sine(t - 10.5 * dt))[20:].max()

    measured = np.log2(error(4e-3) / error(2e-3))
    assert measured == pytest.approx(order, abs=0.15)  # the next order adds (w dt)^2 = 1.6 %


def test_whole_samples_are_exact_to_the_bit(drive):
    signal = np.random.default_rng(0).normal(size=100)
    for samples in (1, 3, 9, 90):  # 0.009 / 0.001 is not 9 in floating point
        y = drive(Delay(samples * dt), signal, dt)
        np.testing.assert_array_equal(y[samples:], signal[:-samples])
        np.testing.assert_array_equal(y[:samples], 0.0)


def test_zero_delay_returns_the_input(drive):
    signal = np.random.default_rng(0).normal(size=50)
    np.testing.assert_array_equal(drive(Delay(0.0), signal, dt), signal)


@pytest.mark.parametrize(("interpolation", "share"), [("linear", 1 / 8), ("cubic", 0)])
def test_a_delay_below_one_sample_attenuates_little(drive, interpolation, share):
    w = 0.3 / dt
    signal = np.exp(1j * w * t)
    y = sum(
        unit * np.asarray(drive(Delay(0.5 * dt, interpolation=interpolation), part, dt))
        for unit, part in ((1, signal.real), (1j, signal.imag))
    )[4:]
    # linear: cos(w dt/2) of it; cubic: the error is of fourth order, 15/16/24 of 0.3^4 = 3.2e-4
    np.testing.assert_allclose(np.abs(y), 1 - share * 0.3**2, atol=3.3e-4)
    np.testing.assert_allclose(np.angle(y / signal[4:]), -0.15, atol=1e-3 if share else 1e-4)


def test_below_one_sample_the_cubic_uses_the_four_newest_samples(drive):
    y = drive(Delay(0.3 * dt), (t / dt - 20.0) ** 3, dt)
    np.testing.assert_allclose(y[3:50], (t[3:50] / dt - 20.3) ** 3, rtol=0, atol=1e-10)


def test_a_long_buffer_and_a_short_one_agree(drive):
    signal = np.random.default_rng(0).normal(size=900)
    short = Delay(0.1234)
    long = Delay(0.1234, max_delay=0.5)
    assert short.with_sample_time(dt).is_shift_register
    assert not long.with_sample_time(dt).is_shift_register
    np.testing.assert_allclose(drive(long, signal, dt), drive(short, signal, dt), atol=1e-14)


def test_each_axis_may_have_its_own_delay(drive):
    signal = np.stack([sine(t), sine(t, 3.0)], axis=1)
    together = drive(Delay([9.4e-3, 0.6e-3]), signal, dt)
    np.testing.assert_allclose(together[:, 0], drive(Delay(9.4e-3), signal[:, 0], dt), atol=1e-15)
    np.testing.assert_allclose(together[:, 1], drive(Delay(0.6e-3), signal[:, 1], dt), atol=1e-15)
    long = drive(Delay([9.4e-3, 0.6e-3], max_delay=0.5), signal, dt)
    np.testing.assert_allclose(long, together, atol=1e-15)


def test_a_delay_beyond_the_buffer_is_nan_and_never_a_wrong_number(drive):
    part = Delay(2.5e-3).with_sample_time(dt)
    grown = dataclasses.replace(part, delay=3.5e-3)
    step = eqx.filter_jit(lambda part, dt: part.step(0.0, dt, part.init(), 1.0)[1])
    inside, beyond = step(part, jnp.asarray(dt)), step(grown, jnp.asarray(dt))
    assert np.isfinite(inside)
    assert np.isnan(beyond)
    # a step finer than the one it was sampled for reaches back further than the buffer
    assert np.isnan(step(part, jnp.asarray(dt / 10)))


def test_a_batch_of_delays_equals_single_ones(drive):
    delays = jnp.array([0.0, 0.4e-3, 1e-3, 5.7e-3, 9.4e-3])
    signal = sine(t[:200])
    batch = jax.vmap(lambda d: drive(Delay(d, max_delay=10e-3), signal, dt))(delays)
    for d, y in zip(delays, batch, strict=True):
        np.testing.assert_allclose(y, drive(Delay(d), signal, dt), atol=1e-15)


def test_the_gradient_with_respect_to_the_delay_is_that_of_finite_differences(drive):
    def last(d):
        return jnp.sum(drive(Delay(d, max_delay=20e-3), sine(t[:120]), dt)[-40:] ** 2)

    h = 1e-8  # [s] far from a whole number of samples, and round-off eps/h = 1e-8

    @jax.jit
    def slopes(d):
        return last(d + h) - last(d - h), jax.grad(last)(d), jax.jvp(last, (d,), (1.0,))[1]

    for delay in (0.35e-3, 5.3e-3, 9.4e-3):
        apart, backward, forward = map(float, slopes(delay))
        assert backward == pytest.approx(apart / (2 * h), rel=1e-5)
        assert forward == pytest.approx(apart / (2 * h), rel=1e-5)


def test_the_gradient_at_a_whole_number_of_samples_is_minus_the_rate(drive):
    def y(d):
        return drive(Delay(d, max_delay=20e-3), sine(t[:120]), dt)[-1]

    rate = 2 * np.pi * 5 * np.cos(2 * np.pi * 5 * (t[119] - 9e-3))
    # one-sided third-order difference: relative error (w dt)^3 ~ 3e-5 of the largest rate
    assert float(jax.jit(jax.grad(y))(9e-3)) == pytest.approx(-rate, abs=31.4 * 1e-4)


def test_one_step_is_a_linear_map_whose_poles_are_zero():
    part = Delay(5.4e-3).with_sample_time(dt)
    jacobian = jax.jit(jax.jacfwd(lambda x: part.step(0.0, dt, x, 0.0)[0]))(part.init())
    assert np.abs(np.linalg.matrix_power(np.asarray(jacobian), part.taps)).max() == 0.0


def test_linear_is_a_pure_delay():
    g = Delay(9.4e-3).linear()
    np.testing.assert_allclose(g(2j), np.exp(-2j * 9.4e-3))
    assert g.low_frequency_delay == pytest.approx(9.4e-3)


def test_faults_are_reported():
    with pytest.raises(ParameterError, match=r"Delay.delay: got -0.02; must be at least 0 s"):
        Delay(-0.02)
    with pytest.raises(ParameterError, match=r"call with_sample_time\(dt, shape\) first"):
        Delay(0.02).init()
    with pytest.raises(ParameterError, match=r"Delay.delay: got shape \(3,\) for the interface \(2,\)"):
        Delay([0.01, 0.02, 0.03]).with_sample_time(dt, (2,))
    with pytest.raises(ParameterError, match=r"is traced.*set max_delay"):
        jax.jit(lambda d: Delay(d).with_sample_time(dt).init())(0.01)
