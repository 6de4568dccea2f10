"""Rotation matrices: orthonormal, exponential of the cross product, and judged by scipy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from dovetail.mechanics.spatial import rotation

laws = settings(max_examples=15, deadline=None, derandomize=True)
EXACT = 1e-14  # a few roundings of numbers of order one

numbers = st.floats(-1.0, 1.0, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)


@laws
@given(vectors, vectors)
def test_skew_is_the_cross_product_and_unskew_undoes_it(a, b):
    np.testing.assert_allclose(rotation.skew(a) @ b, np.cross(a, b), atol=EXACT)
    np.testing.assert_allclose(rotation.unskew(rotation.skew(a)), a, atol=EXACT)


@laws
@given(vectors)
def test_the_exponential_is_that_of_the_matrix_and_a_rotation(v):
    R = rotation.exponential(jnp.asarray(3 * v))
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=4 * EXACT)
    assert float(jnp.linalg.det(R)) == pytest.approx(1.0, abs=4 * EXACT)
    np.testing.assert_allclose(R, expm(np.asarray(rotation.skew(3 * v))), atol=20 * EXACT)


@pytest.mark.parametrize("size", [0.0, 1e-9, 0.9e-2, 1.1e-2, 1.0])
def test_the_exponential_is_smooth_where_the_series_takes_over(size):
    v = size * np.array([0.6, -0.64, 0.48])
    np.testing.assert_allclose(
        rotation.exponential(jnp.asarray(v)), Rotation.from_rotvec(v).as_matrix(), atol=2 * EXACT
    )


@laws
@given(vectors)
def test_the_logarithm_undoes_the_exponential(v):
    phi = 1.8 * jnp.asarray(v)
    np.testing.assert_allclose(rotation.logarithm(rotation.exponential(phi)), phi, atol=1e-12)


@laws
@given(vectors, st.floats(-2, 2), st.floats(-2, 2))
def test_turns_about_one_axis_add(v, a, b):
    R = rotation.exponential(jnp.asarray(a * v)) @ rotation.exponential(jnp.asarray(b * v))
    np.testing.assert_allclose(R, rotation.exponential(jnp.asarray((a + b) * v)), atol=10 * EXACT)


@pytest.mark.parametrize(("about", "axis"), [("about_x", 0), ("about_y", 1), ("about_z", 2)])
def test_turns_about_the_axes_are_exponentials(about, axis):
    R = getattr(rotation, about)(0.7)
    np.testing.assert_allclose(R, rotation.exponential(0.7 * jnp.eye(3)[axis]), atol=EXACT)


def test_the_derivative_at_no_rotation_is_the_cross_product():
    slope = jax.jacfwd(rotation.exponential)(jnp.zeros(3))
    expected = np.stack([np.asarray(rotation.skew(e)) for e in np.eye(3)], -1)
    np.testing.assert_allclose(slope, expected, atol=EXACT)
