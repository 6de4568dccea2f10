"""Animations of bodies as outlines, several scenes side by side, as a GIF.

A body is a list of polylines in its own frame with a pose for each frame, or one polyline for each frame. A scene is a
list of bodies. Scenes share one clock and one view (3-D or from the side).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FuncAnimation
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from dovetail.core.errors import OutputError, ParameterError
from dovetail.report.style import COLOURS, figure_style


@dataclass(frozen=True)
class Body:
    """Outline with its motion: rotation matrices (frames, 3, 3) and positions (frames, 3) [m].

    A body without poses is fixed.
    """

    outline: Sequence[np.ndarray]  # polylines (n, 3) [m] in the body's frame
    colour: str = COLOURS["ink"]
    width: float = 0.8
    R: np.ndarray | None = None
    p: np.ndarray | None = None

    def at(self, frame: int) -> list[np.ndarray]:
        """Return the outline in a frame; after the last pose, the last outline."""
        if self.p is None:
            return [np.asarray(line) for line in self.outline]
        k = min(frame, len(self.p) - 1)
        R = np.eye(3) if self.R is None else self.R[k]
        return [np.asarray(line) @ R.T + self.p[k] for line in self.outline]


@dataclass(frozen=True)
class Bending:
    """Line that changes its shape: `path` (frames, n, 3) [m]."""

    path: np.ndarray
    colour: str = COLOURS["ink"]
    width: float = 0.8

    @property
    def outline(self) -> list[np.ndarray]:
        """Outline in the first frame."""
        return [self.path[0]]

    def at(self, frame: int) -> list[np.ndarray]:
        """Return the line in a frame; after the last frame, the last line."""
        return [self.path[min(frame, len(self.path) - 1)]]


@dataclass(frozen=True)
class AnimatedScene:
    """Bodies with a title; `trail` [m], (frames, 3), is drawn up to the current time in the colour of the last body."""

    title: str
    bodies: Sequence[Body | Bending]
    trail: np.ndarray | None = None
    notes: Sequence[str] = ()  # a text for each frame, under the title


def surface_outline(
    radii: Sequence[float] | np.ndarray,
    along: Sequence[float] | np.ndarray,
    *,
    sides: int = 12,
    points: int = 37,
) -> list[np.ndarray]:
    """Return the outline of a surface of revolution about x: circles, and lines that join them."""
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
    """Return the outline of a cuboid."""
    x, y, z = (np.asarray(sides) / 2).tolist()
    ring = np.array([[y, z], [-y, z], [-y, -z], [y, -z], [y, z]])
    ends = [np.column_stack([np.full(5, s * x), ring]) for s in (-1, 1)]
    edges = [np.array([[-x, *corner], [x, *corner]]) for corner in ring[:4]]
    return [line + np.asarray(centre) for line in ends + edges]


class Film(FuncAnimation):
    """Animation of scenes, with the list of its moving artists."""

    def __init__(self, figure: Figure, panels: Sequence[_Panel], times: np.ndarray, fps: float):
        self.figure, self.panels, self.times = figure, panels, times
        self.clock = figure.text(0.5, 0.02, "", ha="center", fontsize=10, color=COLOURS["ink"])
        super().__init__(figure, self.show, frames=len(times), interval=1000 / fps, blit=False)
        self._draw_was_started = True  # no warning if not all frames are drawn
        self.show(0)

    def show(self, frame: int) -> list[Artist]:
        """Draw a frame."""
        for panel in self.panels:
            panel.show(frame)
        self.clock.set_text(f"{self.times[frame]:.3f} s")
        return []

    @property
    def moving(self) -> list[Artist]:
        """Artists that change from frame to frame."""
        return [*(artist for panel in self.panels for artist in panel.moving), self.clock]


def animate(
    scenes: Sequence[AnimatedScene],
    times: np.ndarray,
    *,
    reach: Sequence[tuple[float, float]],
    view: tuple[float, float] | str = (18.0, -70.0),
    fps: float = 15.0,
    figure: Any = None,
    scale: float = 1.0,
    unit: str = "m",
) -> Film:
    """Return an animation of scenes side by side, one frame for each of `times` [s].

    Parameters
    ----------
    reach
        Limits of the view along x, y and z [m].
    view
        Elevation and azimuth of the camera [deg]; or "side": 2-D view without axes, x to the right, z up.
    figure
        Matplotlib figure to draw in (default: a new figure).
    scale, unit
        Factor on lengths, and the resulting unit.
    """
    if not scenes or len(times) == 0:
        raise ParameterError(
            f"animate: got {len(scenes)} scenes and {len(times)} times; give at least one of each"
        )
    flat = view == "side"
    with figure_style():
        if figure is None:
            size = (3.0 * len(scenes), 2.7) if flat else (4.2 * len(scenes), 3.9)
            figure = Figure(figsize=size, facecolor="white")
            FigureCanvasAgg(figure)
        panels = [
            _Panel(figure, i, scene, scenes, reach, view, scale, unit) for i, scene in enumerate(scenes)
        ]
    bottom = 0.13 if flat else 0.06
    figure.subplots_adjust(left=0.02, right=0.98 if flat else 0.93, bottom=bottom, top=0.9, wspace=0.05)
    return Film(figure, panels, np.asarray(times), fps)


class _Panel:
    """Scene on its axes."""

    def __init__(self, figure, index, scene, scenes, reach, view, scale, unit):
        self.scene, self.scale, self.flat = scene, scale, view == "side"
        limits = scale * np.asarray(reach)
        place = (1, len(scenes), index + 1)
        if self.flat:
            axes = figure.add_subplot(*place)
            axes.set(xlim=limits[0], ylim=limits[2], aspect="equal", xticks=[], yticks=[])
            for spine in axes.spines.values():
                spine.set_visible(True)
        else:
            axes = figure.add_subplot(*place, projection="3d")
            axes.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
            axes.set_box_aspect(np.ptp(limits, axis=1), zoom=1.1)
            axes.view_init(*view)
            axes.tick_params(labelsize=10, colors=COLOURS["faint"])
            axes.locator_params(nbins=4)
            for name in "xyz":
                getattr(axes, f"set_{name}label")(f"{name} [{unit}]", fontsize=10)
        axes.set_title(scene.title, fontsize=10, loc="center")
        empty = ([], []) if self.flat else ([], [], [])
        self.lines = [
            [axes.plot(*empty, color=body.colour, lw=body.width)[0] for _ in body.outline]
            for body in scene.bodies
        ]
        colour = scene.bodies[-1].colour if scene.bodies else COLOURS["measured"]
        self.trail = axes.plot(*empty, color=colour, lw=1.0)[0]
        write = axes.text if self.flat else axes.text2D
        low = 0.03 if self.flat else -0.02
        self.note = write(0.5, low, "", transform=axes.transAxes, ha="center", fontsize=10)

    @property
    def moving(self) -> list[Artist]:
        """Artists that change from frame to frame."""
        return [*(line for drawn in self.lines for line in drawn), self.trail, self.note]

    def show(self, frame: int) -> None:
        for body, drawn in zip(self.scene.bodies, self.lines, strict=True):
            for points, line in zip(body.at(frame), drawn, strict=True):
                self._set_line(line, points)
        if self.scene.trail is not None:
            self._set_line(self.trail, self.scene.trail[: frame + 1])
        if self.scene.notes:
            self.note.set_text(self.scene.notes[min(frame, len(self.scene.notes) - 1)])

    def _set_line(self, line, points) -> None:
        x, y, z = self.scale * np.asarray(points).T
        if self.flat:
            line.set_data(x, z)
        else:
            line.set_data_3d(x, y, z)


def write_gif(
    film: Film, path: str | Path, *, fps: float = 15.0, dpi: float = 80.0, rest: float = 0.0
) -> Path:
    """Write an animation as a GIF whose last frame is shown for `rest` [s]; return its path.

    Fixed artists are drawn once; only moving artists are drawn in every frame.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise OutputError(
            f"{path}: cannot be written: the folder {path.parent} does not exist; create it or choose another file"
        )
    with figure_style():
        images = _frames(film, dpi)
    last = round(1000 * (rest or 1 / fps))
    times = [round(1000 / fps)] * (len(images) - 1) + [last]
    images[0].save(path, save_all=True, append_images=images[1:], duration=times, loop=0, optimize=False)
    return path


def _frames(film: Film, dpi: float) -> list[Image.Image]:
    figure, screen_canvas, before = film.figure, film.figure.canvas, film.figure.dpi
    canvas = FigureCanvasAgg(figure)
    moving = film.moving
    try:
        figure.set_dpi(dpi)
        figure.set_facecolor("white")
        for artist in moving:
            artist.set_animated(True)  # not part of the background
        canvas.draw()
        still = canvas.copy_from_bbox(figure.bbox)
        images = []
        for k in range(len(film.times)):
            film.show(k)
            canvas.restore_region(still)
            for artist in moving:
                (artist.axes or figure).draw_artist(artist)
            picture = np.asarray(canvas.buffer_rgba())[..., :3].copy()
            images.append(Image.fromarray(picture).quantize(48, Image.Quantize.FASTOCTREE))
        return images
    finally:
        for artist in moving:
            artist.set_animated(False)
        figure.set_dpi(before)
        figure.set_canvas(screen_canvas)


__all__ = ["AnimatedScene", "Bending", "Body", "Film", "animate", "box", "surface_outline", "write_gif"]
