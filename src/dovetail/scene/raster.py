"""Rasteriser for triangles in numpy: nearest triangle and brightness at every pixel.

It needs no graphics card, browser or further package. All triangles are split into rows of pixels and these into
pixels; the nearest triangle is stored. Corners store raster position and inverse distance, which is linear on the
raster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Camera(NamedTuple):
    """Camera: position, target, up direction, and vertical field of view [deg]."""

    eye: np.ndarray
    target: np.ndarray
    up: np.ndarray
    opening: float

    @property
    def axes(self) -> np.ndarray:
        """Axes of the camera as rows: right, down, ahead."""
        ahead = np.subtract(self.target, self.eye)
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, self.up)
        right = right / max(float(np.linalg.norm(right)), 1e-12)
        return np.stack([right, np.cross(ahead, right), ahead])

    def in_camera_axes(self, points: np.ndarray) -> np.ndarray:
        """Return points (..., 3) [m] in the axes of the camera, relative to the eye."""
        return (points - self.eye) @ self.axes.T

    def focal(self, tall: int) -> float:
        """Return the number of pixels of 1 m at a distance of 1 m."""
        return 0.5 * tall / float(np.tan(np.radians(self.opening / 2)))

    def project(self, seen: np.ndarray, wide: int, tall: int) -> np.ndarray:
        """Return columns, rows and inverse distances (..., 3) of points in camera axes, all in front of the eye."""
        inverse = 1 / seen[..., 2]
        f = self.focal(tall)
        return np.stack(
            [0.5 * wide + f * seen[..., 0] * inverse, 0.5 * tall + f * seen[..., 1] * inverse, inverse],
            axis=-1,
        )


class Fragments(NamedTuple):
    """Pixels covered by triangles, one entry for each triangle that covers a pixel."""

    pixel: np.ndarray  # pixel index, row by row
    inverse: np.ndarray  # inverse distance at the pixel
    face: np.ndarray  # index of the triangle


def clip_triangles(
    corners: np.ndarray, values: np.ndarray, near: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clip triangles (n, 3, 3) in camera axes at the distance `near` [m]; interpolate their values (n, 3).

    The third result is the index of the original triangle: clipping can split a triangle into two.
    """
    behind = corners[:, :, 2] < near
    in_front = np.flatnonzero(~behind.any(axis=1))
    parts = [(corners[in_front], values[in_front], in_front)]
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
        parts.append((fan[..., :3], fan[..., 3], np.full(len(fan), i)))
    joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    return joined[0], joined[1], joined[2]


def plane(corners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return value at the raster origin and gradients by column and row (n, 3), from values at corners (n, 3)."""
    x, y = corners[..., 0], corners[..., 1]
    dx, dy = x[:, 1:] - x[:, :1], y[:, 1:] - y[:, :1]
    dv = values[:, 1:] - values[:, :1]
    area = dx[:, 0] * dy[:, 1] - dx[:, 1] * dy[:, 0]
    area = np.where(np.abs(area) > 1e-9, area, np.inf)
    by_x = (dv[:, 0] * dy[:, 1] - dv[:, 1] * dy[:, 0]) / area
    by_y = (dv[:, 1] * dx[:, 0] - dv[:, 0] * dx[:, 1]) / area
    return np.stack([values[:, 0] - by_x * x[:, 0] - by_y * y[:, 0], by_x, by_y], axis=1)


def fragments(corners: np.ndarray, wide: int, tall: int) -> Fragments:
    """Return the pixels with their centre in triangles (n, 3, 3) of columns, rows and inverse distances."""
    y = corners[..., 1]
    top = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, tall).astype(np.int64)
    bottom = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, tall).astype(np.int64)
    face, row = _range_members(top, bottom - top)
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
    span, column = _range_members(np.zeros(int(some.sum()), np.int64), count[some])
    pixel = (row * wide + first.astype(np.int32))[some][span] + column
    inverse = base[some, 1].astype(np.float32)[span]
    inverse *= column
    inverse += begin[some].astype(np.float32)[span]
    return Fragments(pixel, inverse, face[some].astype(np.int32)[span])


def nearest(covered: Fragments, inverse: np.ndarray, face: np.ndarray, first: int = 0) -> None:
    """Update the nearest distance and face of each pixel; faces are numbered from `first`."""
    np.maximum.at(inverse, covered.pixel, covered.inverse)
    won = covered.inverse == inverse[covered.pixel]
    face[covered.pixel[won]] = covered.face[won] + first


def _range_members(start: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return range index and member of all ranges from `start` with `count` members, concatenated."""
    which = np.repeat(np.arange(len(count), dtype=np.int32), count)
    member = np.arange(len(which), dtype=np.int32)
    member += (start - np.cumsum(count) + count).astype(np.int32)[which]
    return which, member
