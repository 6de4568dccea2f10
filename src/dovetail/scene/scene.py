"""3-D scene of a run as data: solids, tubes, lines and arrows over time, independent of the renderer.

A scene is built once from a recording and evaluated at one sample after another. A viewer holds one frame only, and a
test can compare the scene with the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.recording import Recording
from dovetail.core.si_prefix import value_text
from dovetail.scene.shapes import Triangles

OPENING = 75.0  # [deg] vertical field of view
FILLED = 0.7  # fraction of the view that the moving bodies fill
LATELY, TRAIL = 4000, 100  # samples of a path that are shown, and points of the path
SEEN = 2e-3  # fraction of the scene size below which two objects are not distinguishable
ASPECT = 1.3  # width / height of the view beside the panel

Points = Callable[[int], np.ndarray]  # sample index to points (n, 3) [m]


Pose = Callable[
    [int], tuple[np.ndarray, np.ndarray]
]  # sample index to rotation matrix (3, 3) and position (3,) [m]


def fixed(place: Sequence[float] = (0.0, 0.0, 0.0)) -> Pose:
    """Return a constant pose."""
    here = np.asarray(place, float)
    return lambda k: (np.eye(3), here)


@dataclass(frozen=True)
class Solid:
    """Rigid body: a constant mesh, and a pose for every sample."""

    name: str
    mesh: Triangles
    pose: Pose = field(default_factory=fixed)
    colour: str = "#8d969e"
    opacity: float = 1.0
    stretch: Callable[[int], float] | None = None  # scale along its x axis: springs, actuator rods
    scenery: bool = False  # ground, hull, sky: ignored when the camera is placed


@dataclass(frozen=True)
class Tube:
    """Round body through moving nodes (n, 3), or between moving pairs of nodes (n, 2, 3)."""

    name: str
    points: Points
    radius: float  # [m]
    colour: str = "#333333"


@dataclass(frozen=True)
class MovingSurface:
    """Surface with moving points (n, 3), such as water; scenery."""

    name: str
    points: Points
    faces: np.ndarray
    colour: str


@dataclass(frozen=True)
class Line:
    """Moving polyline (n, 3), or segments (n, 2, 3): rope, outline, trail."""

    name: str
    points: Points
    colour: str = "#333333"
    width: float = 3.0  # [px]
    ghost: bool = False  # of the reference: drawn faint
    slow: bool = False  # a trail, which a page updates only a few times per second during playback


@dataclass(frozen=True)
class Arrow:
    """Force arrow: starts at the point of action, with length proportional to the force and a label."""

    name: str
    at: Callable[[int], np.ndarray]  # (3,) [m]
    vector: Callable[[int], np.ndarray]  # (3,) [N]
    length: float  # [m/N] length per force
    colour: str = "#b5179e"
    text: Callable[[int], str] | None = None  # text: multiple of a weight, or % of the limit
    contact: Points | None = None  # (3,) [m] contact point

    def label_text(self, k: int) -> str:
        """Return the label at a sample: name and magnitude."""
        size = float(np.linalg.norm(self.vector(k)))
        text = "" if self.text is None else self.text(k)
        return f"{self.name}: {value_text(size, 'N')}" + (f", {text}" if text else "")


@dataclass(frozen=True)
class Plot:
    """Signals over time, or one signal over another."""

    title: str
    names: Sequence[str]
    x: np.ndarray
    ys: Sequence[np.ndarray]
    dots: bool = False  # dots without line: the horizontal axis is not time
    times: np.ndarray | None = None  # [s] time of each dot


@dataclass(frozen=True)
class Scene:
    """3-D scene of a run."""

    title: str
    times: np.ndarray  # [s]
    lines: Sequence[Line] = ()
    arrows: Sequence[Arrow] = ()
    plots: Sequence[Plot] = ()
    up: str = "+z"
    eye: tuple[float, float, float] = (3.0, -3.0, 2.0)  # [m]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] point that the camera looks at
    notes: Callable[[int], str] = field(default=lambda k: "")  # text at a sample
    choices: Mapping[str, Callable[[], Plot]] = field(
        default_factory=dict
    )  # plots of all other signals, by name
    solids: Sequence[Solid] = ()
    tubes: Sequence[Tube] = ()
    surfaces: Sequence[MovingSurface] = ()
    marks: Sequence[tuple[str, tuple[float, float, float]]] = ()  # texts in the scene, with position [m]
    setting: str = "room"  # background: "room", "sky", "sea" or "space"
    enlarged: float = 1.0  # scale of the motion
    subject: np.ndarray | None = None  # (n, 3) [m] points that the camera has to show
    focus: Points | None = None  # (3,) [m] point of interest
    nearby: float = 0.0  # [m] size of the object of interest
    events: Sequence[tuple[float, str]] = ()  # time [s] and name of each event

    def at(self, t: float) -> int:
        """Return the index of the last sample not after t [s]."""
        return int(np.clip(np.searchsorted(self.times, t + 1e-9, side="right") - 1, 0, len(self.times) - 1))

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.times[-1] - self.times[0])


def visibly_different(data: Recording, demanded: np.ndarray, there: np.ndarray, size: float) -> bool:
    """Return whether demand and measured path (time, ...) [m] differ visibly, so that the demand is drawn as well.

    `size` [m] is the size of the scene. True for a run in progress, because the paths can still separate.
    """
    if data.attrs.get("going_on"):
        return True
    return bool(np.nanmax(np.linalg.norm((demanded - there).reshape(len(there), -1), axis=1)) > SEEN * size)


def up_vector(name: str) -> np.ndarray:
    """Return the direction of a signed axis such as `-z`."""
    return (-1.0 if name.startswith("-") else 1.0) * np.eye(3)["xyz".index(name[-1])]


def outline(scene: Scene, count: int = 12) -> np.ndarray:
    """Return points (n, 3) [m] of all bodies except scenery over the whole run; without bodies, of all lines."""
    points = []
    for k in np.unique(np.linspace(0, len(scene.times) - 1, count).astype(int)):
        points += [tube.points(k).reshape(-1, 3) for tube in scene.tubes]
        if not (scene.tubes or scene.solids):
            points += [line.points(k).reshape(-1, 3) for line in scene.lines if not line.ghost]
        for solid in scene.solids:
            if not solid.scenery:
                R, p = solid.pose(k)
                stretch = 1.0 if solid.stretch is None else solid.stretch(k)
                points.append((solid.mesh.vertices * [stretch, 1, 1]) @ R.T + p)
    every = np.concatenate(points)
    return every[np.all(np.isfinite(every), axis=1)]


def corners(low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """Return the corners (8, 3) [m] of a box from two opposite corners."""
    sides = zip(np.asarray(low, float), np.asarray(high, float), strict=True)
    return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)


def aim_camera(
    scene: Scene, towards: Sequence[float] = (-0.45, 0.8, -0.35), subject: np.ndarray | None = None
) -> Scene:
    """Return the scene with a camera that shows all moving bodies, or the points (n, 3) [m] of a subject.

    `towards` is the view direction (forward, to port, up).
    """
    points = outline(scene) if subject is None else np.asarray(subject, float)
    sign, axis = (-1.0 if scene.up.startswith("-") else 1.0), "xyz".index(scene.up[-1])
    along, across = (i for i in range(3) if i != axis)
    way = np.zeros(3)
    way[[along, across, axis]] = np.asarray(towards) * [1.0, 1.0, sign]
    eye, target = fit_camera(points, way, up_vector(scene.up))
    return replace(scene, eye=tuple(eye.tolist()), target=tuple(target.tolist()), subject=points)


def fit_camera(
    points: np.ndarray,
    way: np.ndarray,
    up: np.ndarray,
    opening: float = OPENING,
    aspect: float = ASPECT,
    filled: float = FILLED,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return eye and target (3,) [m] in direction `way`, so that points (n, 3) fill a fraction of the view.

    With coordinates a to the right and d ahead of a point, and t the tangent of half the filled angle, an eye at (A, D)
    sees the point if :math:`|a - A| \le t(d - D)`. So :math:`2tD \le -\max(a - td) - \max(-a - td)`, and A is halfway
    between the two maxima; the same upwards. The eye is as near as both directions allow.
    """
    way = np.asarray(way, float) / np.linalg.norm(way)
    right = np.cross(way, up) / np.linalg.norm(np.cross(way, up))
    down = np.cross(way, right)
    ahead = points @ way
    half = filled * np.tan(np.radians(opening / 2))
    near, aside = np.inf, []
    for axis, t in ((right, aspect * half), (down, half)):
        a = points @ axis
        upper, lower = float((a - t * ahead).max()), float((-a - t * ahead).max())
        near = min(near, -(upper + lower) / (2 * t))
        aside.append(axis * (upper - lower) / 2)
    middle = float(ahead.min() + ahead.max()) / 2
    near = min(near, middle - 1e-3)  # for a single point
    return sum(aside, near * way), sum(aside, middle * way)


def trail(path: np.ndarray, k: int) -> np.ndarray:
    """Return the recent path (time, 3) up to sample k, thinned to points that stay the same as k increases."""
    every = max(1, min(LATELY, len(path)) // TRAIL)
    first = -(-max(0, k - LATELY) // every) * every
    points = path[[*range(first, k, every), k]]
    return points if len(points) > 1 else np.repeat(points, 2, axis=0)
