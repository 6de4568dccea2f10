"""Decimation of traces for plots, without losing a peak.

A trace of a million samples in a plot of a thousand pixels shows only the minimum and maximum at each pixel. Keeping
these preserves every peak; taking every n-th sample would not.
"""

from __future__ import annotations

import numpy as np

POINTS = 1600  # number of points of a trace across a page: about two per pixel


def decimate(t: np.ndarray, y: np.ndarray, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Return about `points` samples of a trace: its ends, and minimum and maximum of equal segments.

    Values that are not finite are ignored, so a gap remains only if it covers a whole segment.
    """
    index = decimation_index(y, points)
    return np.asarray(t, dtype=float)[index], np.asarray(y, dtype=float)[index]


def decimation_index(y: np.ndarray, points: int = POINTS) -> np.ndarray:
    """Return the indices of these samples, in order; for traces (time, trace) the union, about `points` each."""
    y = np.asarray(y, dtype=float)
    if len(y) <= points:
        return np.arange(len(y))
    columns = y.reshape(len(y), -1)
    length = -(-len(y) // max(points // 2, 1))  # rounded up, so only the last segment is shorter
    padded = np.full((-(-len(y) // length) * length, columns.shape[1]), np.nan)
    padded[: len(y)] = np.where(np.isfinite(columns), columns, np.nan)
    segments = padded.reshape(-1, length, columns.shape[1])
    low = np.argmin(np.where(np.isnan(segments), np.inf, segments), axis=1)
    high = np.argmax(np.where(np.isnan(segments), -np.inf, segments), axis=1)
    extremes = (np.arange(len(segments)) * length)[:, None] + np.concatenate([low, high], axis=1)
    return np.unique(np.concatenate([[0], extremes.ravel(), [len(y) - 1]]))
