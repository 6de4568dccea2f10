"""Fewer points for a picture, without losing a peak.

A trace of a million samples drawn a thousand points wide shows no more than the least and the greatest value
over each point. Keeping exactly those keeps every peak, which taking every n-th sample would not.
"""

from __future__ import annotations

import numpy as np

POINTS = 1600  # of a trace across a page: about two to a pixel


def decimate(t: np.ndarray, y: np.ndarray, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """About `points` samples of a trace: its ends, and the least and the greatest of equal stretches.

    Values that are not finite count as neither, so a gap stays a gap only if a whole stretch is one.
    """
    shown = telling(y, points)
    return np.asarray(t, dtype=float)[shown], np.asarray(y, dtype=float)[shown]


def telling(y: np.ndarray, points: int = POINTS) -> np.ndarray:
    """Numbers of those samples, in order; of several traces (time, trace) those of all, each with about `points`."""
    y = np.asarray(y, dtype=float)
    if len(y) <= points:
        return np.arange(len(y))
    columns = y.reshape(len(y), -1)
    length = -(-len(y) // max(points // 2, 1))  # rounded up, so the last stretch is the short one
    padded = np.full((-(-len(y) // length) * length, columns.shape[1]), np.nan)
    padded[: len(y)] = np.where(np.isfinite(columns), columns, np.nan)
    stretches = padded.reshape(-1, length, columns.shape[1])
    low = np.argmin(np.where(np.isnan(stretches), np.inf, stretches), axis=1)
    high = np.argmax(np.where(np.isnan(stretches), -np.inf, stretches), axis=1)
    kept = (np.arange(len(stretches)) * length)[:, None] + np.concatenate([low, high], axis=1)
    return np.unique(np.concatenate([[0], kept.ravel(), [len(y) - 1]]))
