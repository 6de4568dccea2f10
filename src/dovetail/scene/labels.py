"""Placement of labels in an image without overlap, and length of the scale bar."""

from __future__ import annotations

import numpy as np

AXES = (200, 50, 50), (40, 135, 60), (45, 95, 200)  # colours of x, y and z
GAP = 8.0  # [px] from the tip of an arrow to its label
Box = tuple[float, float, float, float]  # left, top, width, height of a text [px]


def free_top(box: Box, taken: list[Box], tall: float) -> float:
    """Return the nearest top [px] at which a label overlaps no other in an image `tall` [px]; add it to `taken`."""
    x, y, wide, high = box
    tries = [y + sign * i * (high + 6) / 2 for i in range(24) for sign in (-1, 1)]
    inside = [at for at in tries if 2 <= at <= tall - high - 4]
    clear = (at for at in inside if not any(_overlap((x, at, wide, high), other) for other in taken))
    top = next(clear, y)
    taken.append((x, top, wide, high))
    return top


def beyond_tip(arrow: np.ndarray, wide: float, high: float, middle: float) -> tuple[float, float]:
    """Return left and top [px] of a label of a given size beyond the tip of an arrow with ends (2, 2) [px].

    The label of a vertical arrow is beside its tip, on the side away from the `middle` [px] of the image: beyond the
    tip is often the loaded body.
    """
    way = arrow[1] - arrow[0]
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    x, y = arrow[1]
    if abs(way[1]) > abs(way[0]):
        return float(x + GAP if x >= middle else x - GAP - wide), float(y - high / 2)
    centre = arrow[1] + way * (abs(way[0]) * wide / 2 + abs(way[1]) * high / 2 + GAP)
    return float(centre[0] - wide / 2), float(centre[1] - high / 2)


def _overlap(a: Box, b: Box) -> bool:
    """Return whether two labels with their backgrounds overlap."""
    return (
        abs(a[0] + a[2] / 2 - b[0] - b[2] / 2) < (a[2] + b[2]) / 2 + 8
        and abs(a[1] - b[1]) < (a[3] + b[3]) / 2 + 5
    )


def round_below(length: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that does not exceed `length`."""
    power = 10.0 ** np.floor(np.log10(length) + 1e-12)
    return float(max(step * power for step in (1, 2, 5) if step * power <= length * (1 + 1e-12)))
