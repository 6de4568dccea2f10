"""Colours, and lines and tubes as segments: shared by all renderers of a scene."""

from __future__ import annotations

import numpy as np

BACKGROUNDS = {  # colours at the upper and the lower edge
    "room": ((236, 239, 242), (250, 250, 250)),
    "sky": ((120, 170, 220), (222, 235, 246)),
    "sea": ((150, 190, 228), (205, 224, 240)),
    "space": ((8, 12, 24), (30, 36, 56)),
}
LEAST = 0.02  # fraction of an arrow's head; a smaller force is not drawn
DOT = 0.4  # fraction of an arrow's head: radius of the dot at a contact point


def rgb(colour: str, ghost: bool = False) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers; a ghost is half as far from white."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return ((red + 255) // 2, (green + 255) // 2, (blue + 255) // 2) if ghost else (red, green, blue)


def segments(points: np.ndarray) -> np.ndarray:
    """A polyline (n, 3) as pieces (n - 1, 2, 3); pieces are left as they are."""
    points = np.asarray(points, dtype=np.float32)
    return points if points.ndim == 3 else np.stack([points[:-1], points[1:]], axis=1)


def links(points: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Quaternions (n, 4), places and stretches (n, 3) that lay a unit link along each piece of a tube."""
    pieces = segments(points)
    along = pieces[:, 1] - pieces[:, 0]
    length = np.linalg.norm(along, axis=1)
    d = along / np.maximum(length, 1e-12)[:, None]
    # from x to d, half the turn about x cross d; straight back it is half a turn about z
    q = np.stack([1 + d[:, 0], 0 * length, -d[:, 2], d[:, 1]], axis=1)
    back = d[:, 0] < -1 + 1e-6
    q[back] = [0.0, 0.0, 0.0, 1.0]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    stretch = np.stack([length, np.full_like(length, radius), np.full_like(length, radius)], axis=1)
    return q, pieces[:, 0], np.maximum(stretch, 1e-6)


def quaternion(R: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of axes (3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat(scalar_first=True)
