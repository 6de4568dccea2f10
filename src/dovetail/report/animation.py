"""Moving pictures: bodies as outlines that follow their poses, side by side, as a GIF.

A body is a list of polylines in its own frame; a scene is bodies with a pose each for every frame; several
scenes with the same clock stand beside each other. Nothing here knows what the bodies are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dovetail.core.errors import OutputError, ParameterError
from dovetail.report.style import COLOURS, styled


@dataclass(frozen=True)
class Body:
    """An outline and how it moves: rotation matrices (frames, 3, 3) and positions (frames, 3) [m].

    A body without poses stands still.
    """

    outline: Sequence[np.ndarray]  # polylines (n, 3) [m] in the body's frame
    colour: str = COLOURS["ink"]
    width: float = 0.8
    R: np.ndarray | None = None
    p: np.ndarray | None = None

    def at(self, frame: int) -> list[np.ndarray]:
        """The outline where the body is in a frame; the last pose where there are no more."""
        if self.p is None:
            return [np.asarray(line) for line in self.outline]
        k = min(frame, len(self.p) - 1)
        R = np.eye(3) if self.R is None else self.R[k]
        return [np.asarray(line) @ R.T + self.p[k] for line in self.outline]


@dataclass(frozen=True)
class Scene:
    """Bodies under a title; `trail` [m], (frames, 3), is drawn up to the clock, in the last body's colour."""

    title: str
    bodies: Sequence[Body]
    trail: np.ndarray | None = None
    notes: Sequence[str] = ()  # a text for each frame, under the title


def revolved(
    radii: Sequence[float], along: Sequence[float], *, sides: int = 12, points: int = 37
) -> list[np.ndarray]:
    """Outline of a surface of revolution about x: a circle at each place, and lines that join them."""
    turn = np.linspace(0, 2 * np.pi, points)
    rings = [
        np.stack([np.full(points, x), r * np.cos(turn), r * np.sin(turn)], -1)
        for r, x in zip(radii, along, strict=True)
        if r > 0
    ]
    ribs = [
        np.stack([np.asarray(along), np.asarray(radii) * np.cos(a), np.asarray(radii) * np.sin(a)], -1)
        for a in np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ]
    return rings + ribs


def box(sides: Sequence[float], centre: Sequence[float] = (0.0, 0.0, 0.0)) -> list[np.ndarray]:
    """Outline of a cuboid: its two ends and the four edges between."""
    x, y, z = (np.asarray(sides) / 2).tolist()
    ring = np.array([[y, z], [-y, z], [-y, -z], [y, -z], [y, z]])
    ends = [np.column_stack([np.full(5, s * x), ring]) for s in (-1, 1)]
    edges = [np.array([[-x, *corner], [x, *corner]]) for corner in ring[:4]]
    return [line + np.asarray(centre) for line in ends + edges]


def animated(
    scenes: Sequence[Scene],
    times: np.ndarray,
    *,
    reach: Sequence[tuple[float, float]],
    view: tuple[float, float] = (18.0, -70.0),
    fps: float = 15.0,
    figure: Any = None,
    scale: float = 1.0,
    unit: str = "m",
) -> FuncAnimation:
    """Scenes side by side, a frame for each of `times` [s].

    Parameters
    ----------
    reach
        Limits of the picture along x, y and z [m].
    view
        Elevation and azimuth of the eye [deg].
    figure
        A matplotlib figure to draw in; a new one of its own by default.
    scale, unit
        What lengths are multiplied by for the picture, and the unit they have then.
    """
    if not scenes or len(times) == 0:
        raise ParameterError(
            f"animated: got {len(scenes)} scenes and {len(times)} frames; needs one of each at least"
        )
    with styled():
        if figure is None:
            figure = Figure(figsize=(4.2 * len(scenes), 3.9), facecolor="white")
            FigureCanvasAgg(figure)
        stages = [
            _Stage(figure, i, scene, scenes, reach, view, scale, unit) for i, scene in enumerate(scenes)
        ]
    figure.subplots_adjust(left=0.02, right=0.93, bottom=0.06, top=0.94, wspace=0.05)
    clock = figure.text(0.5, 0.02, "", ha="center", fontsize=9, color=COLOURS["ink"])

    def show(frame: int):
        for stage in stages:
            stage.show(frame)
        clock.set_text(f"{times[frame]:.3f} s")
        return []

    animation = FuncAnimation(figure, show, frames=len(times), interval=1000 / fps, blit=False)
    animation._draw_was_started = True  # type: ignore[attr-defined]  # a picture that is only looked at in part is no reason to warn
    show(0)
    return animation


class _Stage:
    """One scene on its axes."""

    def __init__(self, figure, index, scene, scenes, reach, view, scale, unit):
        self.scene, self.scale = scene, scale
        axes = figure.add_subplot(1, len(scenes), index + 1, projection="3d")
        axes.set_title(scene.title, fontsize=10, loc="center")
        limits = scale * np.asarray(reach)
        axes.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
        axes.set_box_aspect(np.ptp(limits, axis=1), zoom=1.1)
        axes.view_init(*view)
        axes.tick_params(labelsize=7, colors=COLOURS["faint"])
        axes.locator_params(nbins=4)
        for name in "xyz":
            getattr(axes, f"set_{name}label")(f"{name} [{unit}]", fontsize=8)
        self.lines = [
            [axes.plot([], [], [], color=body.colour, lw=body.width)[0] for _ in body.outline]
            for body in scene.bodies
        ]
        colour = scene.bodies[-1].colour if scene.bodies else COLOURS["measured"]
        self.trail = axes.plot([], [], [], color=colour, lw=1.0)[0]
        self.note = axes.text2D(0.5, -0.02, "", transform=axes.transAxes, ha="center", fontsize=9)

    def show(self, frame: int) -> None:
        for body, drawn in zip(self.scene.bodies, self.lines, strict=True):
            for points, line in zip(body.at(frame), drawn, strict=True):
                line.set_data_3d(*(self.scale * points.T))
        if self.scene.trail is not None:
            self.trail.set_data_3d(*(self.scale * self.scene.trail[: frame + 1].T))
        if self.scene.notes:
            self.note.set_text(self.scene.notes[min(frame, len(self.scene.notes) - 1)])


def write_gif(animation: FuncAnimation, path: str | Path, *, fps: float = 15.0, dpi: float = 80.0) -> Path:
    """Write a moving picture; it says where it did."""
    path = Path(path)
    if not path.parent.is_dir():
        raise OutputError(f"cannot write {path}: the folder {path.parent} does not exist")
    with styled():
        animation.save(path, writer=PillowWriter(fps=fps), dpi=dpi, savefig_kwargs={"facecolor": "white"})
    return path


__all__ = ["Body", "Scene", "animated", "box", "revolved", "write_gif"]
