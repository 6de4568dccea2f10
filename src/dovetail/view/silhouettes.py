"""Outlines that say what is meant where only a point was recorded: an aircraft, a capture device, a ball.

They are signs, not models: their size follows from the picture, and notes say so where it matters.
"""

from __future__ import annotations

import numpy as np


def aircraft(size: float, forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """An aircraft about its origin as one polyline (n, 3), `size` [m] from nose to tail."""
    across = np.cross(up, forward)
    flat = size * np.array(
        [
            (0.5, 0.0),
            (0.1, 0.05),
            (-0.05, 0.5),
            (-0.15, 0.5),
            (-0.1, 0.05),
            (-0.4, 0.04),
            (-0.47, 0.2),
            (-0.53, 0.2),
            (-0.5, 0.0),
        ]
    )
    half = flat[:, :1] * forward + flat[:, 1:] * across
    other = flat[::-1, :1] * forward - flat[::-1, 1:] * across
    fin = size * (np.array([[-0.5], [-0.53], [-0.42], [-0.35]]) * forward) + size * np.outer(
        [0, 0.17, 0.17, 0], up
    )
    return np.concatenate([half, fin, half[-1:], other])


def arrowhead(size: float, forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """A small device with four fins, as one polyline about its origin."""
    across = np.cross(up, forward)
    tail = -0.8 * size * forward
    rows = [size * forward]
    for side in (across, up, -across, -up):
        rows += [0.0 * forward, tail + 0.5 * size * side, tail, 0.0 * forward, size * forward]
    return np.stack(rows)


def ball(radius: float) -> np.ndarray:
    """Three great circles about the origin as one polyline."""
    a = np.linspace(0, 2 * np.pi, 25)
    c, s, zero = radius * np.cos(a), radius * np.sin(a), 0 * a
    return np.concatenate([np.stack([c, s, zero], 1), np.stack([c, zero, s], 1), np.stack([zero, c, s], 1)])
