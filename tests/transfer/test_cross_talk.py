"""Axes that read a little of each other."""

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import CrossTalk, Series, TotalDelayLag

C = [[1.0, 0.1], [-0.2, 0.9]]


def test_every_reading_is_a_sum_over_the_axes(drive):
    signal = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(drive(CrossTalk(C), signal, 1e-3), signal @ np.array(C).T, rtol=1e-14)


def test_rates_are_mixed_like_the_values():
    u = (np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([0.5, 0.25]))
    for got, each in zip(CrossTalk(C).continuous_model().output(0.0, (), u), u, strict=True):
        np.testing.assert_allclose(got, np.array(C) @ each, rtol=1e-14)


def test_a_matrix_of_another_size_is_rejected():
    part = Series((TotalDelayLag(1e-3), CrossTalk(C)))
    assert part.with_sample_time(1e-3, (2,)).parts[1].shape == (2,)
    with pytest.raises(ParameterError, match="CrossTalk.matrix: got 2x2; expected 6x6"):
        part.with_sample_time(1e-3, (6,))
