"""The vectorised arctangent is as exact as NumPy's, and differentiable."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.arctangent import FAR, NEAR, arctan

VALUES = np.concatenate(
    [
        [0.0, -0.0, 1.0, -1.0, NEAR, FAR, -NEAR, -FAR, 1e300, -1e300, np.inf, -np.inf, 1e-300],
        np.tan(np.linspace(-np.pi / 2, np.pi / 2, 4001)[1:-1]),
        np.geomspace(1e-12, 1e12, 500),
    ]
)


def test_values_equal_numpys_to_two_units_in_the_last_place():
    # two units in the last place: one of the quotient, one of the sum
    np.testing.assert_allclose(arctan(jnp.asarray(VALUES)), np.arctan(VALUES), rtol=5e-16, atol=1e-300)


def test_the_derivative_is_exact():
    x = VALUES[np.abs(VALUES) < 1e6]
    np.testing.assert_allclose(jax.vmap(jax.grad(arctan))(jnp.asarray(x)), 1 / (1 + x**2), rtol=1e-11)


def test_nan_remains_nan():
    assert np.isnan(arctan(jnp.nan))


@pytest.mark.parametrize("x", [NEAR, 1.0, FAR])
def test_the_result_is_continuous_between_ranges(x):
    neighbours = jnp.asarray([np.nextafter(x, 0.0), x, np.nextafter(x, 9.0)])
    assert np.ptp(arctan(neighbours)) <= 4 * np.spacing(np.arctan(x))
