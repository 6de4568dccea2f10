"""A stage drawn by viser: solids, tubes, lines and arrows that are made once and told where to be.

What comes from a test (titles, names of signals and axes) reaches the page as text of a label or a title, never as
markup: `plain` takes the characters apart that Markdown or HTML would act on.
"""

from __future__ import annotations

import re
import time
from html import escape
from typing import Any

import numpy as np

from dovetail.scene.labels import Box, beyond, free
from dovetail.scene.polylines import BACKGROUNDS, DOT, LEAST, links, quaternion, rgb, segments
from dovetail.scene.raster import Camera
from dovetail.scene.scene import ASPECT, OPENING, Arrow, Stage, upward
from dovetail.scene.shapes import ellipsoid, link

DARK = (52, 57, 64), (26, 28, 32)  # a room in the dark
SKY, GROUND = 2.2, (150, 150, 150)  # light from all sides: how much, and which colour from below
LETTERS = (  # the smallest letters can be read
    ".mantine-Button-label, .mantine-Slider-markLabel, .uplot .u-legend {font-size: 11px !important} "
    ".mantine-Slider-mark {border-color: #868e96 !important}"  # what happened is seen on light and on dark
)
SHEET = (
    '@media (max-width: 36em) {[style*="width: 20em"] {width: 100% !important}}'  # a phone's, as wide as it
)
LETTER, LINE = 7.0, 21.0  # [px] width of a letter of a label, and height of a label
SCREEN = 800  # [px] height of one that nobody has told
TENDED = 5.0  # a second, at most: words are put anew for who turns the picture


def plain(text: str) -> str:
    """Text that Markdown and HTML take for text."""
    escaped = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", escaped)


def told(*lines: str) -> str:
    """Lines of text for a page, as they are; Markdown would be taken apart anew with every change, which takes long."""
    parts = (f'<p style="margin: 0.2em 0">{escape(line)}</p>' for line in lines if line)
    return (
        f'<div style="font-size: 0.875em; line-height: 1.45; padding: 0 0.75em 0.3em">{"".join(parts)}</div>'
    )


def arrow_ends(arrow: Arrow, k: int, least: float = 0.0) -> np.ndarray:
    """Start and tip of an arrow at a sample (1, 2, 3); no force that acts is drawn shorter than `least` [m]."""
    start = np.asarray(arrow.at(k), dtype=np.float32)
    reach = arrow.length * np.asarray(arrow.vector(k), dtype=np.float32)
    size = float(np.linalg.norm(reach))
    if size == 0.0:
        reach = np.array([0.0, 0.0, 1e-6], dtype=np.float32)  # without a direction there is no picture
    elif size < least:
        reach = reach * (least / size)
    return np.stack([start, start + reach])[None]


def clear(
    places: np.ndarray, text: str, eye: Camera, size: tuple[float, float], taken: list[Box]
) -> np.ndarray:
    """Where (3,) [m] a label stands at a place (1, 3), or beyond an arrow (2, 3), on a screen of that size [px].

    All of it is on the screen, and it hides none that were `taken` before it.
    """
    places = np.asarray(places, float)
    seen = eye.seen(places)
    if np.any(seen[:, 2] <= 0):
        return places[-1]
    across, tall = size
    points = eye.on_raster(seen, round(across), round(tall))[:, :2]
    x, y = points[-1]
    wide = LETTER * len(text) + 6
    left, top = (x, y) if len(points) == 1 else beyond(points, wide, LINE, across / 2)
    if 0 <= x <= across:  # what is out of sight stays there
        left = max(min(left, across - wide), 0.0)
    top = free((left, top, wide, LINE), taken, np.inf)
    right, down, _ = eye.axes
    return places[-1] + ((left - x) * right + (top - y) * down) * seen[-1, 2] / eye.focal(round(tall))


def behind(setting: str, dark: bool = False) -> str:
    """The page's style for what is behind everything, from the upper edge to the lower; only a room knows night.

    The page paints it once. As an image of the scene it would be shaded anew with every picture, which costs a browser
    that draws by the processor more than all bodies together. So does the empty canvas that viser lays over the scene
    for selecting: it is shown only while something is drawn on it.
    """
    above, below = DARK if dark and setting == "room" else BACKGROUNDS[setting]
    sky = f"canvas[data-engine] {{background: linear-gradient(rgb{above}, rgb{below})}}"
    return f'<style>{sky} canvas[width="0"] {{display: none}} {LETTERS} {SHEET}</style>'


def seen_from(eye: Camera, size: tuple[float, float]) -> bytes:
    """What tells one look from another."""
    return np.round(np.concatenate([eye.eye, eye.target, size]), 4).tobytes()


class Scene:
    """One stage on a server's scene; `draw` moves it to a sample, also to one of a newer stage of the same kind."""

    def __init__(self, server: Any, stage: Stage):
        self.server = server
        self.dark = False
        self.behind = server.gui.add_html(behind(stage.setting))
        self.handles: list[Any] = []
        self.root, self.set_so_far = "", 0
        self.spread_for, self.tended = b"", 0.0  # where words were put for, and when by the wall clock [s]
        self.set(stage)

    @property
    def named(self) -> list[tuple[str, Any]]:
        """What can be shown or hidden: a name, and what stands for it on the page."""
        stage = self.stage
        things: tuple[Any, ...] = (*stage.solids, *stage.surfaces, *stage.tubes, *stage.lines)
        shown = (*self.solids, *self.surfaces, *self.tubes, *self.lines)
        return list(zip((thing.name for thing in things), shown, strict=True))

    def fits(self, stage: Stage) -> bool:
        """Whether a stage has the same things in it, so that they need only be moved."""
        return all(
            [thing.name for thing in new] == [thing.name for thing in old]
            for new, old in (
                (stage.solids, self.stage.solids),
                (stage.surfaces, self.stage.surfaces),
                (stage.tubes, self.stage.tubes),
                (stage.lines, self.stage.lines),
                (stage.arrows, self.stage.arrows),
            )
        )

    def set(self, stage: Stage) -> None:
        """Draw another stage in place of this one, and look at it.

        Its things have names that none had before: the page keeps the pose of what was called so, and a new thing at
        the origin, of which no pose is sent, would stand where the old one stood.
        """
        for handle in self.handles:
            handle.remove()
        self.set_so_far += 1
        self.root = f"/{self.set_so_far}"
        self.stage = stage
        reach = float(np.linalg.norm(np.subtract(stage.eye, stage.target)))
        self._surround(reach)
        self._look()
        self._add_things()
        self._add_arrows(thickness=0.006 * reach)
        self.marks = [
            self.server.scene.add_label(f"{self.root}/marks/{i}", text, position=place)
            for i, (text, place) in enumerate(stage.marks)
        ]
        self.handles = [*self.solids, *self.surfaces, *self.tubes, *self.lines, *self.arrows]
        self.handles += [*self.dots.values(), *self.labels, *self.marks]
        self.drawn: dict[int, bytes] = {}
        self.draw(stage, 0)

    def _surround(self, reach: float) -> None:
        """Light from above and from the sky, and what is behind everything; haze far out at sea.

        A plain machine's browser draws by its processor: no shadows, and no surroundings that are mirrored, whose
        picture has to be unpacked and blurred before anything is shown at all.
        """
        scene, stage = self.server.scene, self.stage
        scene.set_up_direction(stage.up)
        scene.configure_default_lights(cast_shadow=False)
        scene.configure_environment_map(None)
        above = tuple(upward(stage.up).tolist())
        scene.add_light_hemisphere("/sky", intensity=SKY, ground_color=GROUND, position=above)
        self.shade(self.dark)
        scene.configure_fog(
            40 * reach, 300 * reach, color=BACKGROUNDS[stage.setting][1], enabled=stage.setting == "sea"
        )

    def shade(self, dark: bool) -> None:
        """A room light or dark; the sky, the sea and space are as they are."""
        self.dark = dark
        self.behind.content = behind(self.stage.setting, dark)

    def _look(self) -> None:
        """The stage's own view, for those who are here and those who come."""
        stage = self.stage
        self.server.initial_camera.position = stage.eye
        self.server.initial_camera.look_at = stage.target
        for client in self.server.get_clients().values():
            client.camera.up_direction = upward(stage.up)
            client.camera.position, client.camera.look_at = stage.eye, stage.target

    def _add_things(self) -> None:
        """Solids, surfaces, tubes and lines."""
        scene, stage = self.server.scene, self.stage
        self.solids = [
            scene.add_mesh_simple(
                f"{self.root}/solids/{i}",
                np.asarray(solid.mesh.vertices, np.float32),
                np.asarray(solid.mesh.faces, np.uint32),
                color=rgb(solid.colour),
                opacity=solid.opacity if solid.opacity < 1 else None,
                side="double",
                flat_shading=False,
            )
            for i, solid in enumerate(stage.solids)
        ]
        self.surfaces = [
            scene.add_mesh_simple(
                f"{self.root}/surfaces/{i}",
                np.asarray(surface.points(0), np.float32),
                np.asarray(surface.faces, np.uint32),
                color=rgb(surface.colour),
                flat_shading=False,
            )
            for i, surface in enumerate(stage.surfaces)
        ]
        piece = link()
        self.tubes = [
            scene.add_batched_meshes_simple(
                f"{self.root}/tubes/{i}",
                np.asarray(piece.vertices, np.float32),
                np.asarray(piece.faces, np.uint32),
                *links(tube.points(0), tube.radius)[:2],
                batched_scales=links(tube.points(0), tube.radius)[2],
                batched_colors=rgb(tube.colour),
                lod="off",
            )
            for i, tube in enumerate(stage.tubes)
        ]
        self.lines = [
            scene.add_line_segments(
                f"{self.root}/lines/{i}",
                segments(line.points(0)),
                rgb(line.colour, line.ghost),
                thickness=line.width,
                thickness_units="screen",
            )
            for i, line in enumerate(stage.lines)
        ]

    def _add_arrows(self, thickness: float) -> None:
        """Arrows, the points where bodies touch, and labels."""
        scene = self.server.scene
        self.head = 5 * thickness  # [m] length of an arrow's head
        self.arrows = [
            scene.add_arrows(
                f"{self.root}/arrows/{i}",
                arrow_ends(arrow, 0, self.head),
                rgb(arrow.colour),
                shaft_radius=thickness,
                head_radius=2.5 * thickness,
                head_length=self.head,
            )
            for i, arrow in enumerate(self.stage.arrows)
        ]
        dot = ellipsoid(3 * (DOT * self.head,), 10)
        self.dots = {
            i: scene.add_mesh_simple(
                f"{self.root}/contacts/{i}",
                np.asarray(dot.vertices, np.float32),
                np.asarray(dot.faces, np.uint32),
                color=rgb(arrow.colour),
                flat_shading=False,
            )
            for i, arrow in enumerate(self.stage.arrows)
            if arrow.contact is not None
        }
        self.labels = [
            scene.add_label(f"{self.root}/values/{i}", "") for i, _ in enumerate(self.stage.arrows)
        ]

    def draw(self, stage: Stage, k: int, quickly: bool = False) -> None:
        """Show sample k of a stage with the same things in it; quickly, without what need not be drawn each time."""
        with self.server.atomic():
            for solid, handle in zip(stage.solids, self.solids, strict=True):
                R, p = solid.pose(k)
                if self._new(handle, p.tobytes() + R.tobytes()):  # what stands still is not sent again
                    handle.wxyz, handle.position = quaternion(R), p
                if solid.stretch is not None:
                    handle.scale = (max(float(solid.stretch(k)), 1e-6), 1.0, 1.0)
            for surface, handle in zip(stage.surfaces, self.surfaces, strict=True):
                handle.vertices = np.asarray(surface.points(k), np.float32)
            for tube, handle in zip(stage.tubes, self.tubes, strict=True):
                turns, places, stretches = links(tube.points(k), tube.radius)
                if self._new(handle, places.tobytes() + stretches.tobytes()):
                    handle.batched_wxyzs, handle.batched_positions = turns, places
                    handle.batched_scales = stretches
            for line, handle in zip(stage.lines, self.lines, strict=True):
                if not (line.slow and quickly):
                    points = segments(line.points(k))
                    if self._new(handle, points.tobytes()):
                        handle.points = points
            for i, arrow in enumerate(stage.arrows):
                self._point(i, arrow, k)
            self._spread(stage, k)

    def _spread(self, stage: Stage, k: int) -> None:
        """Put all words beside what they are about, so that none hides another on the smallest screen."""
        eye, size = self._smallest()
        taken: list[Box] = []
        words = [
            (label, np.array([place])) for label, (_, place) in zip(self.marks, self.stage.marks, strict=True)
        ]
        words += [
            (label, arrow_ends(arrow, k, self.head)[0])
            for arrow, label in zip(stage.arrows, self.labels, strict=True)
            if label.visible
        ]
        for label, wanted in words:
            place = clear(wanted, label.text, eye, size, taken)
            if self._new(label, place.tobytes()):
                label.position = place
        self.spread_for = seen_from(eye, size)

    def tend(self, stage: Stage, k: int) -> None:
        """Put the words anew where somebody looks from elsewhere, or on another screen, since they were put."""
        now = time.monotonic()
        if now - self.tended > 1 / TENDED and self.spread_for != seen_from(*self._smallest()):
            self.tended = now
            with self.server.atomic():
                self._spread(stage, k)

    def _smallest(self) -> tuple[Camera, tuple[float, float]]:
        """The eye and the size [px] of the smallest screen on which this is looked at; the stage's own otherwise."""
        up = upward(self.stage.up)
        clients = [client.camera for client in self.server.get_clients().values()]
        if not clients:
            own = Camera(np.array(self.stage.eye), np.array(self.stage.target), up, OPENING)
            return own, (ASPECT * SCREEN, SCREEN)
        least = min(clients, key=lambda camera: camera.image_width)
        opening = float(np.degrees(least.fov))
        eye = Camera(np.array(least.position), np.array(least.look_at), up, opening)
        return eye, (least.image_width, least.image_height)

    def _point(self, i: int, arrow: Arrow, k: int) -> None:
        """An arrow for every force that acts, with its size and a dot where bodies touch; none where there is none."""
        handle, label, dot = self.arrows[i], self.labels[i], self.dots.get(i)
        acts = float(np.linalg.norm(arrow.vector(k))) * arrow.length > LEAST * self.head
        if handle.visible != acts:
            for shown in (handle, label, dot):
                if shown is not None:
                    shown.visible = acts
        if not acts:
            return
        ends = arrow_ends(arrow, k, self.head)
        if self._new(handle, ends.tobytes()):
            handle.points = ends
        if dot is not None and arrow.contact is not None:
            place = np.asarray(arrow.contact(k), float)
            if self._new(dot, place.tobytes()):
                dot.position = place
        text = arrow.words(k)
        if label.text != text:
            label.text = text

    def _new(self, handle: Any, numbers: bytes) -> bool:
        """Whether it has moved since it was drawn."""
        moved = self.drawn.get(id(handle)) != numbers
        self.drawn[id(handle)] = numbers
        return moved
