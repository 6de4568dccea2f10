"""Triangles on a raster, drawn by numpy alone: what is in front at every pixel, and how bright it is there.

Pictures are to be made on any machine, without a graphics card, a browser or a package more. A triangle is cut into
rows of pixels, the rows into pixels, all triangles at once; the nearest wins. What is kept of a corner is its place on
the raster and the inverse of its distance, as that is linear on the raster and the distance is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Camera(NamedTuple):
    """Where one looks from, where to, which way is up, and how wide [deg] from the lower edge to the upper."""

    eye: np.ndarray
    target: np.ndarray
    up: np.ndarray
    opening: float

    @property
    def axes(self) -> np.ndarray:
        """Rows: to the right, downwards, ahead."""
        ahead = np.subtract(self.target, self.eye)
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, self.up)
        right = right / max(float(np.linalg.norm(right)), 1e-12)
        return np.stack([right, np.cross(ahead, right), ahead])

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Points (..., 3) [m] in those axes, from the eye."""
        return (points - self.eye) @ self.axes.T

    def focal(self, tall: int) -> float:
        """Pixels that a metre takes up at a distance of one."""
        return 0.5 * tall / float(np.tan(np.radians(self.opening / 2)))

    def on_raster(self, seen: np.ndarray, wide: int, tall: int) -> np.ndarray:
        """Columns, rows and inverse distances (..., 3) of points in the camera's axes, all before the eye."""
        inverse = 1 / seen[..., 2]
        f = self.focal(tall)
        return np.stack(
            [0.5 * wide + f * seen[..., 0] * inverse, 0.5 * tall + f * seen[..., 1] * inverse, inverse],
            axis=-1,
        )


class Fragments(NamedTuple):
    """Pixels that triangles cover, a pixel as often as it is covered."""

    pixel: np.ndarray  # its number, row by row
    inverse: np.ndarray  # of the distance there
    face: np.ndarray  # number of the triangle


def clipped(
    corners: np.ndarray, values: np.ndarray, near: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles (n, 3, 3) in the camera's axes without what is nearer than `near` [m]; their values (n, 3) likewise.

    The third answer is the triangle that each came from: one that is cut may become two.
    """
    behind = corners[:, :, 2] < near
    whole = np.flatnonzero(~behind.any(axis=1))
    made = [(corners[whole], values[whole], whole)]
    for i in np.flatnonzero(behind.any(axis=1) & ~behind.all(axis=1)):
        ring = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            here = np.append(corners[i, a], values[i, a])
            there = np.append(corners[i, b], values[i, b])
            if not behind[i, a]:
                ring.append(here)
            if behind[i, a] != behind[i, b]:
                share = (near - here[2]) / (there[2] - here[2])
                ring.append(here + share * (there - here))
        fan = np.stack([np.stack([ring[0], ring[k], ring[k + 1]]) for k in range(1, len(ring) - 1)])
        made.append((fan[..., :3], fan[..., 3], np.full(len(fan), i)))
    found = [np.concatenate(parts) for parts in zip(*made, strict=True)]
    return found[0], found[1], found[2]


def plane(corners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Value at the raster's corner, and how it changes by column and by row (n, 3), of values at corners (n, 3)."""
    x, y = corners[..., 0], corners[..., 1]
    dx, dy = x[:, 1:] - x[:, :1], y[:, 1:] - y[:, :1]
    dv = values[:, 1:] - values[:, :1]
    area = dx[:, 0] * dy[:, 1] - dx[:, 1] * dy[:, 0]
    area = np.where(np.abs(area) > 1e-9, area, np.inf)
    by_x = (dv[:, 0] * dy[:, 1] - dv[:, 1] * dy[:, 0]) / area
    by_y = (dv[:, 1] * dx[:, 0] - dv[:, 0] * dx[:, 1]) / area
    return np.stack([values[:, 0] - by_x * x[:, 0] - by_y * y[:, 0], by_x, by_y], axis=1)


def fragments(corners: np.ndarray, wide: int, tall: int) -> Fragments:
    """The pixels whose middle lies in triangles (n, 3, 3) of columns, rows and inverse distances."""
    y = corners[..., 1]
    top = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, tall).astype(np.int64)
    bottom = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, tall).astype(np.int64)
    face, row = _expanded(top, bottom - top)
    middle = row + 0.5
    left, right = np.full(len(row), np.inf), np.full(len(row), -np.inf)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        start, end = corners[:, a, :2], corners[:, b, :2]
        rise = end[:, 1] - start[:, 1]
        slope = (end[:, 0] - start[:, 0]) / np.where(rise == 0, np.inf, rise)
        upper, lower = np.minimum(start[:, 1], end[:, 1])[face], np.maximum(start[:, 1], end[:, 1])[face]
        crossed = (upper <= middle) & (middle < lower)
        at = start[face, 0] + slope[face] * (middle - start[face, 1])
        left = np.where(crossed, np.minimum(left, at), left)
        right = np.where(crossed, np.maximum(right, at), right)
    first = np.clip(np.ceil(left - 0.5), 0, wide)
    count = np.maximum(np.clip(np.ceil(right - 0.5), 0, wide) - first, 0).astype(np.int64)
    base = plane(corners, corners[..., 2])[face]
    begin = base[:, 0] + base[:, 1] * (first + 0.5) + base[:, 2] * middle
    some = count > 0
    span, column = _expanded(np.zeros(int(some.sum()), np.int64), count[some])
    pixel = (row * wide + first.astype(np.int32))[some][span] + column
    inverse = base[some, 1].astype(np.float32)[span]
    inverse *= column
    inverse += begin[some].astype(np.float32)[span]
    return Fragments(pixel, inverse, face[some].astype(np.int32)[span])


def nearest(found: Fragments, inverse: np.ndarray, face: np.ndarray, first: int = 0) -> None:
    """Keep what is nearer than what is there; faces are numbered from `first` on."""
    np.maximum.at(inverse, found.pixel, found.inverse)
    won = found.inverse == inverse[found.pixel]
    face[found.pixel[won]] = found.face[won] + first


def _expanded(start: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For ranges from `start` with `count` members: the number of the range, and the member, one after another."""
    which = np.repeat(np.arange(len(count), dtype=np.int32), count)
    member = np.arange(len(which), dtype=np.int32)
    member += (start - np.cumsum(count) + count).astype(np.int32)[which]
    return which, member
