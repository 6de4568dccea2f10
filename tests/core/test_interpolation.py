"""Interpolation in tables, compared with NumPy."""

import jax
import numpy as np
import pytest

from dovetail.core.interpolation import SHORT, interpolate, interval_and_fraction

random = np.random.default_rng(17)
interpolate_all = jax.jit(lambda times, values, t: jax.vmap(lambda t: interpolate(times, values, t))(t))


@pytest.mark.parametrize("rows", [2, 7, SHORT, SHORT + 1])
def test_values_equal_numpy(rows):
    times = np.cumsum(random.uniform(0.1, 2.0, rows)) - 3.0
    values = random.normal(size=(rows, 3))
    t = np.concatenate([times, random.uniform(times[0] - 1.0, times[-1] + 1.0, 50)])
    expected = np.stack([np.interp(t, times, column) for column in values.T], 1)
    np.testing.assert_allclose(interpolate_all(times, values, t), expected, atol=1e-12)


def test_a_time_at_a_row_belongs_to_the_interval_after_it_except_at_the_last_row():
    times = np.array([0.0, 1.0, 4.0])
    i, fraction = jax.jit(jax.vmap(lambda t: interval_and_fraction(times, t)))(
        np.array([-2.0, 0.0, 1.0, 2.5, 4.0, 9.0])
    )
    np.testing.assert_array_equal(i, [0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(fraction, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0], atol=1e-15)


def test_the_slope_at_both_ends_is_the_inner_one_and_zero_outside():
    times, values = np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, -1.0])
    rate = jax.jit(jax.vmap(jax.grad(lambda t: interpolate(times, values, t))))
    np.testing.assert_allclose(rate(np.array([-0.1, 0.0, 0.5, 2.0, 4.0, 4.1])), [0, 2, 2, -1, -1, 0])
