"""What chains share: shifts, sums, loads."""

import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain.base import Loads, after, apart, before, gathered, node_forces, running

A = jnp.arange(12.0).reshape(3, 4)


def test_shifts_and_sums_are_what_they_say():
    np.testing.assert_array_equal(before(A)[0], [0, 0, 1, 2])
    np.testing.assert_array_equal(after(A, 9.0)[0], [1, 2, 3, 9])
    np.testing.assert_array_equal(running(A), np.cumsum(A, axis=1))
    np.testing.assert_array_equal(running(A, reverse=True), np.cumsum(A[:, ::-1], axis=1)[:, ::-1])


def test_gathering_is_the_transpose_of_taking_apart():
    b = jnp.array(np.random.default_rng(0).normal(size=(3, 3)))
    np.testing.assert_allclose(jnp.sum(apart(A) * b), jnp.sum(A * gathered(b)), rtol=1e-12)


def test_link_forces_go_half_to_each_end():
    got = node_forces(2, Loads(field=jnp.zeros(3), node=1.0, link=jnp.full((3, 2), 4.0)))
    np.testing.assert_array_equal(got[0], [3.0, 5.0, 3.0])
