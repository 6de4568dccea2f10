"""What is to be seen of a run: solids, tubes, lines and arrows that move, on one clock. Nothing here knows a browser.

A stage is made from a recording once and asked for one moment after another, so that a viewer need not hold
more than a frame, and a test can compare what a page shows with what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from dovetail.core.si_prefix import si_prefix
from dovetail.scene.shapes import Triangles

OPENING = 75.0  # [deg] of the view, from the lower edge to the upper
FILLED = 0.7  # of it that what moves takes up
LATELY, TRAIL = 4000, 100  # samples of a way that are shown, and points of it
SEEN = 2e-3  # of the picture: things that are nearer are one to the eye
ASPECT = 1.3  # width over height of what a screen leaves beside the panel

Points = Callable[[int], np.ndarray]  # from the number of a sample to points (n, 3) [m]


Pose = Callable[[int], tuple[np.ndarray, np.ndarray]]  # to axes (3, 3) and a place (3,) [m]


def fixed(place: Sequence[float] = (0.0, 0.0, 0.0)) -> Pose:
    """A pose that stays where it is."""
    here = np.asarray(place, float)
    return lambda k: (np.eye(3), here)


@dataclass(frozen=True)
class Solid:
    """A rigid body: a mesh that is sent once, and a pose for every sample."""

    name: str
    mesh: Triangles
    pose: Pose = field(default_factory=fixed)
    colour: str = "#8d969e"
    opacity: float = 1.0
    stretch: Callable[[int], float] | None = None  # along its x axis: springs, rods of actuators
    scenery: bool = False  # ground, hull, sky: the camera need not show all of it


@dataclass(frozen=True)
class Tube:
    """A round body through moving nodes (n, 3), or between moving pairs of them (n, 2, 3)."""

    name: str
    points: Points
    radius: float  # [m]
    colour: str = "#333333"


@dataclass(frozen=True)
class Skin:
    """A skin whose points (n, 3) move, as water does; scenery."""

    name: str
    points: Points
    faces: np.ndarray
    colour: str


@dataclass(frozen=True)
class Line:
    """A polyline (n, 3) that moves, or pieces (n, 2, 3): rope, outline, trail."""

    name: str
    points: Points
    colour: str = "#333333"
    width: float = 3.0  # on the screen
    ghost: bool = False  # of the ideal: drawn faint
    slow: bool = (
        False  # a trail: a page that plays draws it a few times a second, which is enough to see it grow
    )


@dataclass(frozen=True)
class Arrow:
    """A force: it starts where it acts, is as long as it is large, and says how large."""

    name: str
    at: Callable[[int], np.ndarray]  # (3,) [m]
    vector: Callable[[int], np.ndarray]  # (3,) [N]
    length: float  # [m] that one newton is drawn long
    colour: str = "#b5179e"
    share: Callable[[int], str] | None = None  # of a weight, or of what is allowed, in words
    contact: Points | None = None  # (3,) [m] where bodies touch while it acts

    def words(self, k: int) -> str:
        """What it is and how large at a sample."""
        size = float(np.linalg.norm(self.vector(k)))
        factor, unit = si_prefix([size], "N")
        share = "" if self.share is None else self.share(k)
        return f"{self.name}: {factor * size:.3g} {unit}" + (f", {share}" if share else "")


@dataclass(frozen=True)
class Plot:
    """Signals over time, or one over another."""

    title: str
    names: Sequence[str]
    x: np.ndarray
    ys: Sequence[np.ndarray]
    dots: bool = False  # no line: the horizontal axis is no time
    times: np.ndarray | None = None  # [s] of what is over no time


@dataclass(frozen=True)
class Stage:
    """A run to look at."""

    title: str
    times: np.ndarray  # [s]
    lines: Sequence[Line] = ()
    arrows: Sequence[Arrow] = ()
    plots: Sequence[Plot] = ()
    up: str = "+z"
    eye: tuple[float, float, float] = (3.0, -3.0, 2.0)  # [m]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] what it looks at
    notes: Callable[[int], str] = field(default=lambda k: "")  # in words, at a sample
    choices: Mapping[str, Callable[[], Plot]] = field(default_factory=dict)  # any other signal, by its name
    solids: Sequence[Solid] = ()
    tubes: Sequence[Tube] = ()
    surfaces: Sequence[Skin] = ()
    marks: Sequence[tuple[str, tuple[float, float, float]]] = ()  # words that stand in the picture, and where
    setting: str = "room"  # what is around: "room", "sky", "sea" or "space"
    enlarged: float = 1.0  # metres that are drawn for a metre of motion
    subject: np.ndarray | None = None  # (n, 3) [m] points of what the eye looks at
    focus: Points | None = None  # (3,) [m] where what matters is
    nearby: float = 0.0  # [m] how large that is
    events: Sequence[tuple[float, str]] = ()  # moments [s], and what happened then

    def at(self, t: float) -> int:
        """Number of the sample that holds at t [s]: the last one not after it."""
        return int(np.clip(np.searchsorted(self.times, t + 1e-9, side="right") - 1, 0, len(self.times) - 1))

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.times[-1] - self.times[0])


def haunted(data: xr.Dataset, demanded: np.ndarray, there: np.ndarray, size: float) -> bool:
    """Whether a ghost shows where something was demanded: the two ways (time, ...) [m] are apart for the eye.

    `size` [m] is that of the picture. A run that is still going on always has one, as they may come apart yet.
    """
    if data.attrs.get("going_on"):
        return True
    return bool(np.nanmax(np.linalg.norm((demanded - there).reshape(len(there), -1), axis=1)) > SEEN * size)


def upward(name: str) -> np.ndarray:
    """The direction that an axis with a sign (`-z`) names."""
    return (-1.0 if name.startswith("-") else 1.0) * np.eye(3)["xyz".index(name[-1])]


def outline(stage: Stage, count: int = 12) -> np.ndarray:
    """Points (n, 3) [m] of all bodies over the whole run but scenery; without bodies, of all lines."""
    shown = []
    for k in np.unique(np.linspace(0, len(stage.times) - 1, count).astype(int)):
        shown += [tube.points(k).reshape(-1, 3) for tube in stage.tubes]
        if not (stage.tubes or stage.solids):
            shown += [line.points(k).reshape(-1, 3) for line in stage.lines if not line.ghost]
        for solid in stage.solids:
            if not solid.scenery:
                R, p = solid.pose(k)
                stretch = 1.0 if solid.stretch is None else solid.stretch(k)
                shown.append((solid.mesh.vertices * [stretch, 1, 1]) @ R.T + p)
    every = np.concatenate(shown)
    return every[np.all(np.isfinite(every), axis=1)]


def corners(low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """The corners (8, 3) [m] of a box from two of them."""
    sides = zip(np.asarray(low, float), np.asarray(high, float), strict=True)
    return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)


def looked_at(
    stage: Stage, towards: Sequence[float] = (-0.45, 0.8, -0.35), subject: np.ndarray | None = None
) -> Stage:
    """The stage with an eye and a target from which all that moves is seen, or the points (n, 3) [m] of a subject.

    `towards` is the way of the view in axes forward, to port and up of the picture.
    """
    points = outline(stage) if subject is None else np.asarray(subject, float)
    sign, axis = (-1.0 if stage.up.startswith("-") else 1.0), "xyz".index(stage.up[-1])
    along, across = (i for i in range(3) if i != axis)
    way = np.zeros(3)
    way[[along, across, axis]] = np.asarray(towards) * [1.0, 1.0, sign]
    eye, target = fitted(points, way, upward(stage.up))
    return replace(stage, eye=tuple(eye.tolist()), target=tuple(target.tolist()), subject=points)


def fitted(
    points: np.ndarray,
    way: np.ndarray,
    up: np.ndarray,
    opening: float = OPENING,
    aspect: float = ASPECT,
    filled: float = FILLED,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Eye and target (3,) [m] along `way`, so that points (n, 3) fill so much of a picture, one way or the other.

    With a to the right and d ahead of a point, and t the tangent of half the filled part, an eye at (A, D) sees it if
    :math:`|a - A| \le t(d - D)`. So :math:`2tD \le -\max(a - td) - \max(-a - td)`, and halfway between the two is A;
    the same upwards, and the eye stands as near as both allow.
    """
    way = np.asarray(way, float) / np.linalg.norm(way)
    right = np.cross(way, up) / np.linalg.norm(np.cross(way, up))
    down = np.cross(way, right)
    ahead = points @ way
    half = filled * np.tan(np.radians(opening / 2))
    near, aside = np.inf, []
    for axis, t in ((right, aspect * half), (down, half)):
        a = points @ axis
        most, least = float((a - t * ahead).max()), float((-a - t * ahead).max())
        near = min(near, -(most + least) / (2 * t))
        aside.append(axis * (most - least) / 2)
    middle = float(ahead.min() + ahead.max()) / 2
    near = min(near, middle - 1e-3)  # of a single point
    return sum(aside, near * way), sum(aside, middle * way)


def so_far(path: np.ndarray, k: int) -> np.ndarray:
    """The way (time, 3) until sample k, of late, through some points that stay where they are as it goes on."""
    every = max(1, min(LATELY, len(path)) // TRAIL)
    first = -(-max(0, k - LATELY) // every) * every
    shown = path[[*range(first, k, every), k]]
    return shown if len(shown) > 1 else np.repeat(shown, 2, axis=0)
