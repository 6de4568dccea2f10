import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from dovetail.transfer.exponential import expm

rng = np.random.default_rng(0)


@pytest.mark.parametrize("size", [1e-8, 1e-3, 1.0, 10.0])
def test_it_agrees_with_scipy(size):
    x = size * rng.normal(size=(5, 5))
    expected = scipy.linalg.expm(x)
    assert np.abs(expm(x) - expected).max() < 1e-12 * np.abs(expected).max()  # conditioning of a norm of 50


def test_the_exponential_of_a_small_matrix_is_accurate():
    x = 1e-6 * rng.normal(size=(3, 3))
    np.testing.assert_allclose(expm(x) - np.eye(3), x + x @ x / 2 + x @ x @ x / 6, rtol=0, atol=3e-16)


def test_a_stiff_decay_dies():
    np.testing.assert_allclose(
        expm(jnp.diag(jnp.array([-1e4, -1.0]))), np.diag([0.0, np.exp(-1)]), atol=1e-14
    )


def test_the_exponential_of_a_fast_rotation_preserves_the_radius():
    angle = 1e3  # [rad]
    turn = expm(jnp.array([[0.0, -angle], [angle, 0.0]]))
    np.testing.assert_allclose(
        turn, [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], atol=1e-10
    )


def test_beyond_its_range_it_is_nan():
    assert np.all(np.isnan(expm(jnp.full((2, 2), 1e5))))


def test_its_derivative_is_frechets():
    x, d = rng.normal(size=(2, 4, 4))
    tangent = jax.jvp(expm, (jnp.asarray(x),), (jnp.asarray(d),))[1]
    np.testing.assert_allclose(
        tangent, scipy.linalg.expm_frechet(x, d, compute_expm=False), rtol=1e-10, atol=1e-11
    )
