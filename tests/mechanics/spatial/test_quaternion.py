"""Unit quaternions form a group that acts on vectors, with the rotation matrices as another picture of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.mechanics.spatial import quaternion as quat

laws = settings(max_examples=15, deadline=None, derandomize=True)
EXACT = 1e-14  # a few roundings of numbers of order one

numbers = st.floats(-1.0, 1.0, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
rotations = vectors.map(lambda v: np.asarray(quat.from_vector(jnp.asarray(3.0 * v))))


def same(a, b, tolerance=EXACT):
    """The same rotation: q or -q."""
    a, b = np.asarray(a), np.asarray(b)
    return min(np.abs(a - b).max(), np.abs(a + b).max()) < tolerance


@laws
@given(rotations, rotations, rotations)
def test_multiplication_is_associative(a, b, c):
    left = quat.multiply(quat.multiply(a, b), c)
    np.testing.assert_allclose(left, quat.multiply(a, quat.multiply(b, c)), atol=EXACT)


@laws
@given(rotations)
def test_the_identity_changes_nothing(q):
    np.testing.assert_allclose(quat.multiply(q, quat.identity()), q, atol=EXACT)
    np.testing.assert_allclose(quat.multiply(quat.identity(), q), q, atol=EXACT)


@laws
@given(rotations)
def test_the_conjugate_is_the_inverse(q):
    np.testing.assert_allclose(quat.multiply(q, quat.conjugate(q)), quat.identity(), atol=EXACT)


@laws
@given(rotations, rotations, vectors)
def test_acting_with_a_product_is_acting_one_after_the_other(a, b, v):
    np.testing.assert_allclose(
        quat.rotate(quat.multiply(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=4 * EXACT
    )


@laws
@given(rotations, vectors)
def test_rotation_keeps_lengths_and_agrees_with_the_matrix(q, v):
    turned = quat.rotate(q, v)
    assert float(jnp.linalg.norm(turned)) == pytest.approx(np.linalg.norm(v), abs=4 * EXACT)
    np.testing.assert_allclose(quat.to_matrix(q) @ v, turned, atol=4 * EXACT)


@laws
@given(rotations)
def test_a_rotation_is_recovered_from_its_matrix(q):
    assert same(quat.from_matrix(quat.to_matrix(q)), q, 4 * EXACT)


@laws
@given(vectors)
def test_exponential_and_logarithm_are_inverse_within_half_a_turn(v):
    phi = 1.8 * jnp.asarray(v)  # up to 1.8 sqrt(3) = 3.12 rad, just below half a turn
    np.testing.assert_allclose(quat.to_vector(quat.from_vector(phi)), phi, atol=1e-12)


@pytest.mark.parametrize("length", [0.5, 1.0, 3.0])
def test_reading_a_rotation_does_not_need_unit_length(length):
    q = quat.from_vector(jnp.array([0.3, -0.2, 0.9]))
    np.testing.assert_allclose(quat.to_matrix(length * q), quat.to_matrix(q), atol=EXACT)
    v = jnp.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(quat.rotate(length * q, v), quat.rotate(q, v), atol=10 * EXACT)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_half_a_turn_is_read_from_its_matrix(axis):
    phi = np.pi * jnp.eye(3)[axis]
    assert same(quat.from_matrix(quat.to_matrix(quat.from_vector(phi))), quat.from_vector(phi))


def test_the_rate_is_the_derivative_along_a_constant_turn():
    q, w_B = quat.from_vector(jnp.array([0.3, -0.2, 0.9])), jnp.array([0.5, 0.1, -0.7])
    _, along = jax.jvp(lambda s: quat.multiply(q, quat.from_vector(s * w_B)), (0.0,), (1.0,))
    np.testing.assert_allclose(quat.rate(q, w_B), along, atol=EXACT)


def test_a_wrong_length_is_pulled_back_without_turning():
    q = 1.01 * quat.from_vector(jnp.array([0.3, -0.2, 0.9]))
    rate = quat.rate(q, jnp.zeros(3), restore=10.0)
    assert float(jnp.sum(rate * q)) < 0
    np.testing.assert_allclose(rate / jnp.linalg.norm(rate), -q / jnp.linalg.norm(q), atol=EXACT)


def test_derivatives_are_finite_at_no_rotation():
    for function in (lambda v: quat.from_vector(v), lambda v: quat.to_vector(quat.from_vector(v))):
        for slope in (jax.jacfwd(function), jax.jacrev(function)):
            assert np.isfinite(np.asarray(jax.jit(slope)(jnp.zeros(3)))).all()


def test_functions_support_batches():
    q = jax.random.normal(jax.random.key(0), (5, 2, 4))
    v = jax.random.normal(jax.random.key(1), (5, 2, 3))

    @jax.jit
    def both(q, v):
        again = lambda q: quat.from_matrix(quat.to_matrix(q))  # noqa: E731
        every = jax.vmap(jax.vmap(lambda q, v: (quat.rotate(q, v), again(q))))
        return (quat.rotate(q, v), again(q)), every(q, v)

    for together, one_by_one in zip(*both(q, v), strict=True):
        np.testing.assert_allclose(together, one_by_one, atol=EXACT)


@pytest.mark.parametrize(
    "angle", [0.0, 1e-9, 3e-3, 6.2e-3, 6.4e-3, 0.1, 3.0]
)  # the series ends at 6.3e-3 rad
def test_a_rotation_vector_is_read_back_at_any_angle(angle):
    vector = angle * jnp.array([0.6, -0.64, 0.48])
    np.testing.assert_allclose(
        quat.to_vector(quat.from_vector(vector)), vector, rtol=2e-15 if angle < 0.01 else 1e-14
    )
