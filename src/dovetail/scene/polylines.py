"""Colours, and conversion of lines and tubes to segments, for all renderers of a scene."""

from __future__ import annotations

import numpy as np

BACKGROUNDS = {  # colours at the upper and lower edge
    "room": ((236, 239, 242), (250, 250, 250)),
    "sky": ((120, 170, 220), (222, 235, 246)),
    "sea": ((150, 190, 228), (205, 224, 240)),
    "space": ((8, 12, 24), (30, 36, 56)),
}
LEAST = 0.02  # fraction of an arrow's head; a smaller force is not drawn
DOT = 0.4  # fraction of an arrow's head: radius of the dot at a contact point


def rgb(colour: str, ghost: bool = False) -> tuple[int, int, int]:
    """Return `#rrggbb` as three numbers; a ghost is mixed half with white."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return ((red + 255) // 2, (green + 255) // 2, (blue + 255) // 2) if ghost else (red, green, blue)


def segments(points: np.ndarray) -> np.ndarray:
    """Return a polyline (n, 3) as segments (n - 1, 2, 3); segments are returned unchanged."""
    points = np.asarray(points, dtype=np.float32)
    return points if points.ndim == 3 else np.stack([points[:-1], points[1:]], axis=1)


def links(points: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return quaternions (n, 4), positions and scales (n, 3) that place a unit link along each segment of a tube."""
    pieces = segments(points)
    along = pieces[:, 1] - pieces[:, 0]
    length = np.linalg.norm(along, axis=1)
    d = along / np.maximum(length, 1e-12)[:, None]
    # rotation from x to d about x cross d; for d = -x, 180 degrees about z
    q = np.stack([1 + d[:, 0], 0 * length, -d[:, 2], d[:, 1]], axis=1)
    back = d[:, 0] < -1 + 1e-6
    q[back] = [0.0, 0.0, 0.0, 1.0]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    stretch = np.stack([length, np.full_like(length, radius), np.full_like(length, radius)], axis=1)
    return q, pieces[:, 0], np.maximum(stretch, 1e-6)


def quaternion(R: np.ndarray) -> np.ndarray:
    """Return the quaternion (w, x, y, z) of a rotation matrix (3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat(scalar_first=True)
