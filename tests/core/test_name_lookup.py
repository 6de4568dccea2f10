"""A time is found in a table, and what lies between two of its rows is linear; judged by NumPy."""

import jax
import numpy as np
import pytest

from dovetail.core.name_lookup import SHORT, linear, place

random = np.random.default_rng(17)
along = jax.jit(lambda times, values, t: jax.vmap(lambda t: linear(times, values, t))(t))


@pytest.mark.parametrize("rows", [2, 7, SHORT, SHORT + 1])
def test_values_between_rows_are_those_of_numpy(rows):
    times = np.cumsum(random.uniform(0.1, 2.0, rows)) - 3.0
    values = random.normal(size=(rows, 3))
    t = np.concatenate([times, random.uniform(times[0] - 1.0, times[-1] + 1.0, 50)])
    expected = np.stack([np.interp(t, times, column) for column in values.T], 1)
    np.testing.assert_allclose(along(times, values, t), expected, atol=1e-12)


def test_a_time_at_a_row_is_behind_it_and_the_last_row_ends_the_interval_before():
    times = np.array([0.0, 1.0, 4.0])
    i, share = jax.jit(jax.vmap(lambda t: place(times, t)))(np.array([-2.0, 0.0, 1.0, 2.5, 4.0, 9.0]))
    np.testing.assert_array_equal(i, [0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(share, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0], atol=1e-15)


def test_the_rate_at_either_end_is_that_within_and_outside_there_is_none():
    times, values = np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, -1.0])
    rate = jax.jit(jax.vmap(jax.grad(lambda t: linear(times, values, t))))
    np.testing.assert_allclose(rate(np.array([-0.1, 0.0, 0.5, 2.0, 4.0, 4.1])), [0, 2, 2, -1, -1, 0])
