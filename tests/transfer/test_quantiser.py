import jax
import jax.numpy as jnp
import numpy as np

from dovetail.transfer import Quantiser

signal = np.random.default_rng(3).normal(size=2000)


def test_the_error_is_within_half_a_step_and_the_output_in_whole_steps(drive):
    y = np.asarray(drive(Quantiser(0.01), signal, 1e-3))
    assert np.abs(y - signal).max() <= 0.005 + 1e-15
    np.testing.assert_allclose(y / 0.01, np.round(y / 0.01), atol=1e-10)


def test_rounding_twice_is_rounding_once(drive):
    once = drive(Quantiser(0.01), signal, 1e-3)
    np.testing.assert_allclose(drive(Quantiser(0.01), once, 1e-3), once, atol=1e-15)


def test_the_error_has_the_variance_of_a_uniform_one(drive):
    error = np.asarray(drive(Quantiser(0.01), signal, 1e-3)) - signal
    expected = 0.01 / np.sqrt(12)
    assert abs(error.std() / expected - 1) < 4 * np.sqrt(0.2 / len(signal))  # 4 deviations of a uniform's rms


def test_a_converter_has_its_number_of_steps():
    part = Quantiser.converter(bits=18, full_scale=3.8)
    np.testing.assert_allclose(2 * 3.8 / part.resolution, 2**18)


def test_the_derivative_passes_straight_through():
    part = Quantiser(0.01)
    assert jax.grad(lambda u: part.step(0.0, 1e-3, (), u)[1])(0.3) == 1.0


def test_a_step_of_zero_disables_rounding_per_axis():
    u = jnp.array([0.1234, 0.1234])
    np.testing.assert_array_equal(Quantiser([0.0, 0.01]).apply(0.0, u), [0.1234, 0.12])
