"""Words beside places in a picture: where each finds room, and how long a bar or an axis is that can be read."""

from __future__ import annotations

import numpy as np

AXES = (200, 50, 50), (40, 135, 60), (45, 95, 200)  # colours of x, y and z
GAP = 8.0  # [px] from an arrow's tip to its words
Box = tuple[float, float, float, float]  # of a text: left, top, width, height [px]


def free(box: Box, taken: list[Box], tall: float) -> float:
    """The top nearest to a text's own at which it hides no other in a picture so tall; it is noted as taken."""
    x, y, wide, high = box
    tries = [y + sign * i * (high + 6) / 2 for i in range(24) for sign in (-1, 1)]
    inside = [at for at in tries if 2 <= at <= tall - high - 4]
    clear = (at for at in inside if not any(_overlap((x, at, wide, high), other) for other in taken))
    top = next(clear, y)
    taken.append((x, top, wide, high))
    return top


def beyond(arrow: np.ndarray, wide: float, high: float, middle: float) -> tuple[float, float]:
    """Left and top of a text of that size [px] beyond the tip of an arrow (2, 2), its ends in a picture.

    One that points up or down has its words beside the tip, on the side away from the `middle` [px] of the picture:
    above it is often the very body that is pushed.
    """
    way = arrow[1] - arrow[0]
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    x, y = arrow[1]
    if abs(way[1]) > abs(way[0]):
        return float(x + GAP if x >= middle else x - GAP - wide), float(y - high / 2)
    centre = arrow[1] + way * (abs(way[0]) * wide / 2 + abs(way[1]) * high / 2 + GAP)
    return float(centre[0] - wide / 2), float(centre[1] - high / 2)


def _overlap(a: Box, b: Box) -> bool:
    """Whether two texts (left, top, width, height) and the ground that they stand on meet."""
    return (
        abs(a[0] + a[2] / 2 - b[0] - b[2] / 2) < (a[2] + b[2]) / 2 + 8
        and abs(a[1] - b[1]) < (a[3] + b[3]) / 2 + 5
    )


def round_below(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not larger."""
    power = 10.0 ** np.floor(np.log10(length) + 1e-12)
    return float(max(step * power for step in (1, 2, 5) if step * power <= length * (1 + 1e-12)))
