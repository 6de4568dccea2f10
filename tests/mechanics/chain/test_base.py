"""What chains share: shifts, sums, loads."""

import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain.base import (
    ChainLoads,
    link_differences,
    next_column,
    node_forces,
    previous_column,
    running_sum,
    sum_link_forces,
)

A = jnp.arange(12.0).reshape(3, 4)


def test_link_differences_and_sums_equal_their_definition():
    np.testing.assert_array_equal(previous_column(A)[0], [0, 0, 1, 2])
    np.testing.assert_array_equal(next_column(A, 9.0)[0], [1, 2, 3, 9])
    np.testing.assert_array_equal(running_sum(A), np.cumsum(A, axis=1))
    np.testing.assert_array_equal(running_sum(A, reverse=True), np.cumsum(A[:, ::-1], axis=1)[:, ::-1])


def test_summing_link_forces_is_the_transpose_of_differences():
    b = jnp.array(np.random.default_rng(0).normal(size=(3, 3)))
    np.testing.assert_allclose(jnp.sum(link_differences(A) * b), jnp.sum(A * sum_link_forces(b)), rtol=1e-12)


def test_link_forces_go_half_to_each_end():
    got = node_forces(2, ChainLoads(field=jnp.zeros(3), node=1.0, link=jnp.full((3, 2), 4.0)))
    np.testing.assert_array_equal(got[0], [3.0, 5.0, 3.0])
