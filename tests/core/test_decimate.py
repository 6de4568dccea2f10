import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.core.decimate import decimate, decimation_index


def test_a_short_trace_is_unchanged():
    t, y = np.arange(10.0), np.arange(10.0) ** 2
    assert decimate(t, y, 20)[1] is not None
    np.testing.assert_array_equal(decimate(t, y, 20)[1], y)


def test_a_single_spike_is_kept():
    y = np.zeros(600_000)
    y[345_678] = 1.0
    t, kept = decimate(np.arange(600_000) / 1e4, y)
    assert kept.max() == 1.0
    assert t[np.argmax(kept)] == 34.5678
    assert len(kept) < 1700


@given(count=st.integers(1, 5000), points=st.integers(2, 300), seed=st.integers(0, 5))
def test_decimation_keeps_extremes_and_ends_for_any_length(count, points, seed):
    y = np.random.default_rng(seed).standard_normal(count)
    t, kept = decimate(np.arange(float(count)), y, points)
    assert (kept.min(), kept.max()) == (y.min(), y.max())
    assert (t[0], t[-1]) == (0, count - 1)
    assert (np.diff(t) > 0).all()
    assert len(t) <= max(points, 2) + 4  # the two ends, and an incomplete last segment


def test_the_peaks_of_each_of_several_traces_are_kept():
    y = np.zeros((10_000, 3))
    y[[1234, 5678, 9012], [0, 1, 2]] = 1.0
    kept = decimation_index(y, 100)
    assert (y[kept].max(axis=0) == 1.0).all()
    assert len(kept) < 320


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_does_not_hide_a_peak(bad):
    y = np.sin(np.arange(10_000) / 50)
    y[5000] = bad
    _, kept = decimate(np.arange(10_000.0), y, 500)
    good = y[np.isfinite(y)]
    assert (np.nanmin(kept[np.isfinite(kept)]), np.nanmax(kept[np.isfinite(kept)])) == (
        good.min(),
        good.max(),
    )
