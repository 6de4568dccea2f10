"""Peaks and prominence, compared with SciPy."""

import numpy as np
import pytest
import scipy

from dovetail.core.peaks import find_peaks


def series(kind: str, rng: np.random.Generator) -> np.ndarray:
    number = int(rng.integers(1, 400))
    y = rng.normal(size=number)
    if kind == "walk":
        return np.cumsum(y)
    if kind == "steps":  # level segments, at the ends too
        return np.round(np.repeat(y, rng.integers(1, 5)), 1)
    if kind == "sine":
        return np.sin(0.2 * np.arange(number)) + 1e-3 * y
    return y


@pytest.mark.parametrize("kind", ["noise", "walk", "steps", "sine"])
def test_peaks_equal_scipy_for_any_height_and_prominence(kind):
    rng = np.random.default_rng([21, len(kind)])
    count = 0
    for _ in range(60):
        y = series(kind, rng)
        spread = float(np.ptp(y)) + 1e-9
        for limits in ({}, {"height": float(np.median(y))}, {"prominence": 0.2 * spread}):
            expected, _ = scipy.signal.find_peaks(y, **limits)
            np.testing.assert_array_equal(find_peaks(y, **limits), expected)
            count += len(expected)
    assert count > 300


def test_a_series_without_a_peak_has_none():
    for y in ([], [1.0], [2.0, 2.0, 2.0], [1.0, 2.0, 3.0], [3.0, 1.0, 3.0]):
        assert len(find_peaks(np.array(y))) == 0
