"""Peaks of a series: samples, or the middles of level stretches, with lower ones on both sides.

How far a peak stands out is its prominence: its height above the higher of the two lowest points on the way, to either
side, to a sample that is higher, or to the end. The definitions are those of SciPy's signal library, which takes half a
second to load for this one function.
"""

from __future__ import annotations

import numpy as np


def find_peaks(y: np.ndarray, *, height: float = -np.inf, prominence: float = 0.0) -> np.ndarray:
    """Places of the peaks of `y` that are at least so high and stand out at least so far."""
    y = np.asarray(y, dtype=float)
    if len(y) < 3:
        return np.array([], dtype=int)
    edges = np.flatnonzero(np.diff(y)) + 1  # where another value begins
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [len(y)]]) - 1
    level = y[starts]
    top = np.flatnonzero((level[1:-1] > level[:-2]) & (level[1:-1] > level[2:])) + 1
    peaks = (starts[top] + ends[top]) // 2
    peaks = peaks[y[peaks] >= height]
    if prominence <= 0:
        return peaks
    return np.array([p for p in peaks if _prominence(y, p) >= prominence], dtype=int)


def _prominence(y: np.ndarray, peak: int) -> float:
    lowest = max(_lowest(y[peak::-1], y[peak]), _lowest(y[peak:], y[peak]))
    return float(y[peak] - lowest)


def _lowest(way: np.ndarray, top: float) -> float:
    """The lowest point of a way, up to where it is higher than its start."""
    lowest, start, length = top, 0, 64
    while start < len(way):
        piece = way[start : start + length]
        higher = np.flatnonzero(piece > top)
        if len(higher):
            return float(min(lowest, piece[: higher[0]].min(initial=np.inf)))
        lowest = min(lowest, piece.min())
        start, length = start + length, 2 * length
    return float(lowest)
