"""A stage drawn by viser: lines and arrows that are made once and told where to be.

What comes from a test (titles, names of signals and axes) reaches the page as text of a label or a title, never as
markup: `plain` takes the characters apart that Markdown or HTML would act on.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from dovetail.view.stage import Arrow, Stage


def plain(text: str) -> str:
    """Text that Markdown and HTML take for text."""
    escaped = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", escaped)


def rgb(colour: str, ghost: bool = False) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers; a ghost is half as far from white."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return tuple((v + 255) // 2 if ghost else v for v in parts)  # type: ignore[return-value]


def segments(points: np.ndarray) -> np.ndarray:
    """A polyline (n, 3) as pieces (n - 1, 2, 3)."""
    points = np.asarray(points, dtype=np.float32)
    return np.stack([points[:-1], points[1:]], axis=1)


def arrow_ends(arrow: Arrow, k: int) -> np.ndarray:
    """Start and tip of an arrow at a sample (1, 2, 3)."""
    start = np.asarray(arrow.at(k), dtype=np.float32)
    reach = arrow.length * np.asarray(arrow.vector(k), dtype=np.float32)
    if not np.any(reach):
        reach = np.array([0.0, 0.0, 1e-6], dtype=np.float32)  # without a direction there is no picture
    return np.stack([start, start + reach])[None]


class Scene:
    """One stage on a server's scene; `draw` moves it to a sample, also to one of a newer stage of the same kind."""

    def __init__(self, server: Any, stage: Stage):
        self.server = server
        self.lines: list[Any] = []
        self.arrows: list[Any] = []
        self.set(stage)

    def set(self, stage: Stage) -> None:
        """Draw another stage in place of this one, and look at it."""
        scene = self.server.scene
        for handle in (*self.lines, *self.arrows):
            handle.remove()
        scene.set_up_direction(stage.up)
        scene.configure_default_lights(cast_shadow=False)  # lines and arrows show none worth their time
        self.server.initial_camera.position = stage.eye
        self.server.initial_camera.look_at = stage.target
        for client in self.server.get_clients().values():
            client.camera.up_direction = _up(stage.up)
            client.camera.position, client.camera.look_at = stage.eye, stage.target
        reach = float(np.linalg.norm(np.subtract(stage.eye, stage.target)))
        scene.add_frame("/frame", axes_length=0.1 * reach, axes_radius=0.003 * reach)
        self.lines = [
            scene.add_line_segments(
                f"/lines/{i}",
                segments(line.points(0)),
                rgb(line.colour, line.ghost),
                thickness=line.width,
                thickness_units="screen",
            )
            for i, line in enumerate(stage.lines)
        ]
        self.drawn = [segments(line.points(0)) for line in stage.lines]
        thin = 0.006 * reach
        self.head = 5 * thin  # [m] length of an arrow's head
        self.arrows = [
            scene.add_arrows(
                f"/arrows/{i}",
                arrow_ends(arrow, 0),
                rgb(arrow.colour),
                shaft_radius=thin,
                head_radius=2.5 * thin,
                head_length=self.head,
            )
            for i, arrow in enumerate(stage.arrows)
        ]

    def draw(self, stage: Stage, k: int) -> None:
        """Show sample k of a stage with the same lines and arrows."""
        with self.server.atomic():
            for i, (line, handle) in enumerate(zip(stage.lines, self.lines, strict=True)):
                points = segments(line.points(k))
                if not np.array_equal(points, self.drawn[i]):  # what stands still is not sent again
                    handle.points = self.drawn[i] = points
            for arrow, handle in zip(stage.arrows, self.arrows, strict=True):
                ends = arrow_ends(arrow, k)
                handle.points = ends
                seen = bool(np.linalg.norm(ends[0, 1] - ends[0, 0]) > self.head)  # else it would be all head
                if handle.visible != seen:
                    handle.visible = seen


def _up(name: str) -> np.ndarray:
    sign = -1.0 if name.startswith("-") else 1.0
    return sign * np.eye(3)["xyz".index(name[-1])]
