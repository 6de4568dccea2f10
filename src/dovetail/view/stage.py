"""What is to be seen of a run: lines, arrows and marks that move, on one clock. Nothing here knows a browser.

A stage is made from a recording once and asked for one moment after another, so that a viewer need not hold
more than a frame, and a test can compare what a page shows with what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Points = Callable[[int], np.ndarray]  # from the number of a sample to points (n, 3) [m]


@dataclass(frozen=True)
class Line:
    """A polyline that moves: rope, outline, spring."""

    name: str
    points: Points
    colour: str = "#333333"
    width: float = 3.0  # on the screen
    ghost: bool = False  # of the ideal: drawn faint


@dataclass(frozen=True)
class Arrow:
    """A force: it starts where it acts and is as long as it is large."""

    name: str
    at: Callable[[int], np.ndarray]  # (3,) [m]
    vector: Callable[[int], np.ndarray]  # (3,) [N]
    length: float  # [m] that one newton is drawn long
    colour: str = "#b5179e"


@dataclass(frozen=True)
class Plot:
    """Signals over time, or one over another."""

    title: str
    names: Sequence[str]
    x: np.ndarray
    ys: Sequence[np.ndarray]
    dots: bool = False  # no line: the horizontal axis is no time


@dataclass(frozen=True)
class Stage:
    """A run to look at."""

    title: str
    times: np.ndarray  # [s]
    lines: Sequence[Line]
    arrows: Sequence[Arrow] = ()
    plots: Sequence[Plot] = ()
    up: str = "+z"
    eye: tuple[float, float, float] = (3.0, -3.0, 2.0)  # [m]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] what it looks at
    notes: Callable[[int], str] = field(default=lambda k: "")  # in words, at a sample
    choices: Mapping[str, Callable[[], Plot]] = field(default_factory=dict)  # any other signal, by its name

    def at(self, t: float) -> int:
        """Number of the sample that holds at t [s]: the last one not after it."""
        return int(np.clip(np.searchsorted(self.times, t + 1e-9, side="right") - 1, 0, len(self.times) - 1))

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.times[-1] - self.times[0])


def framed(lines: Sequence[Line], count: int, up: str = "+z") -> tuple[tuple, tuple]:
    """An eye and a target from which everything is seen that is drawn at the start, the middle and the end."""
    shown = np.concatenate([line.points(k) for line in lines for k in {0, count // 2, count - 1}])
    low, high = shown.min(axis=0), shown.max(axis=0)
    target = (low + high) / 2
    reach = max(float(np.linalg.norm(high - low)), 1e-3)
    sign, axis = (-1.0 if up.startswith("-") else 1.0), "xyz".index(up[-1])
    along, across = (i for i in range(3) if i != axis)
    eye = target.copy()
    eye[[along, across, axis]] += reach * np.array([0.3, -0.85, 0.35 * sign])
    return tuple(eye.tolist()), tuple(target.tolist())
