"""Scene drawn by viser: solids, tubes, lines and arrows, created once and then moved.

Texts from a test (titles, names of signals and axes) are shown as text, never as markup: `escape_markup` escapes the
characters of Markdown and HTML.
"""

from __future__ import annotations

import re
import time
from html import escape
from typing import Any

import numpy as np

from dovetail.scene.labels import Box, beyond_tip, free_top
from dovetail.scene.polylines import BACKGROUNDS, DOT, LEAST, links, quaternion, rgb, segments
from dovetail.scene.raster import Camera
from dovetail.scene.scene import ASPECT, OPENING, Arrow, Scene, up_vector
from dovetail.scene.shapes import ellipsoid, tube_piece

DARK = (52, 57, 64), (26, 28, 32)  # background of a room in dark mode
SKY_LIGHT, GROUND_COLOUR = 2.2, (150, 150, 150)  # ambient light: intensity, and colour from below
LETTER_CSS = (  # readable small letters
    ".mantine-Button-label, .mantine-Slider-markLabel, .uplot .u-legend {font-size: 11px !important} "
    ".mantine-Slider-mark {border-color: #868e96 !important}"  # event marks visible on light and dark
)
PHONE_CSS = (
    '@media (max-width: 36em) {[style*="width: 20em"] {width: 100% !important}}'  # panel as wide as the phone
)
LETTER, LINE = 7.0, 21.0  # [px] width of a letter and height of a label
SCREEN = 800  # [px] assumed height of a screen
LABEL_RATE = 5.0  # [Hz] largest rate at which labels are placed again when the camera moves


def escape_markup(text: str) -> str:
    """Return text with the characters of Markdown and HTML escaped."""
    escaped = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", escaped)


def text_lines(*lines: str) -> str:
    """Return lines of text as HTML; parsing Markdown at each change is slow."""
    parts = (f'<p style="margin: 0.2em 0">{escape(line)}</p>' for line in lines if line)
    return (
        f'<div style="font-size: 0.875em; line-height: 1.45; padding: 0 0.75em 0.3em">{"".join(parts)}</div>'
    )


def arrow_points(arrow: Arrow, k: int, min_length: float = 0.0) -> np.ndarray:
    """Return start and tip of an arrow at a sample (1, 2, 3), at least `min_length` [m] long."""
    start = np.asarray(arrow.at(k), dtype=np.float32)
    reach = arrow.length * np.asarray(arrow.vector(k), dtype=np.float32)
    size = float(np.linalg.norm(reach))
    if size == 0.0:
        reach = np.array([0.0, 0.0, 1e-6], dtype=np.float32)  # viser needs a direction
    elif size < min_length:
        reach = reach * (min_length / size)
    return np.stack([start, start + reach])[None]


def place_label(
    places: np.ndarray, text: str, eye: Camera, size: tuple[float, float], taken: list[Box]
) -> np.ndarray:
    """Return the position (3,) [m] of a label at a point (1, 3) or beyond an arrow (2, 3), for a screen size [px].

    The label is completely on the screen and overlaps no label in `taken`.
    """
    places = np.asarray(places, float)
    seen = eye.in_camera_axes(places)
    if np.any(seen[:, 2] <= 0):
        return places[-1]
    across, tall = size
    points = eye.project(seen, round(across), round(tall))[:, :2]
    x, y = points[-1]
    wide = LETTER * len(text) + 6
    left, top = (x, y) if len(points) == 1 else beyond_tip(points, wide, LINE, across / 2)
    if 0 <= x <= across:  # a point outside the screen keeps its label
        left = max(min(left, across - wide), 0.0)
    top = free_top((left, top, wide, LINE), taken, np.inf)
    right, down, _ = eye.axes
    return places[-1] + ((left - x) * right + (top - y) * down) * seen[-1, 2] / eye.focal(round(tall))


def background_css(setting: str, dark: bool = False) -> str:
    """Return the style of the background, from the upper to the lower edge; only a room has a dark mode.

    The page paints it once. An image in the scene would be shaded with every frame, which costs a browser without
    graphics card more than all bodies. The same holds for the empty canvas that viser puts over the scene for
    selections; it is displayed only while it is used.
    """
    above, below = DARK if dark and setting == "room" else BACKGROUNDS[setting]
    sky = f"canvas[data-engine] {{background: linear-gradient(rgb{above}, rgb{below})}}"
    return f'<style>{sky} canvas[width="0"] {{display: none}} {LETTER_CSS} {PHONE_CSS}</style>'


def view_key(eye: Camera, size: tuple[float, float]) -> bytes:
    """Return a key that changes with the camera and the screen size."""
    return np.round(np.concatenate([eye.eye, eye.target, size]), 4).tobytes()


class ViserScene:
    """Scene on a viser server; `draw` moves it to a sample, also of a newer scene with the same objects."""

    def __init__(self, server: Any, scene: Scene):
        self.server = server
        self.dark = False
        self.background_css = server.gui.add_html(background_css(scene.setting))
        self.handles: list[Any] = []
        self.root, self.scene_number = "", 0
        self.labels_view, self.labels_time = b"", 0.0  # view and wall-clock time [s] of the placed labels
        self.replace(scene)

    @property
    def named_handles(self) -> list[tuple[str, Any]]:
        """Return name and handle of each object that can be hidden."""
        scene = self.scene
        objects: tuple[Any, ...] = (*scene.solids, *scene.surfaces, *scene.tubes, *scene.lines)
        handles = (*self.solids, *self.surfaces, *self.tubes, *self.lines)
        return list(zip((each.name for each in objects), handles, strict=True))

    def has_same_objects(self, scene: Scene) -> bool:
        """Return whether a scene has the same objects, so that they need only be moved."""
        return all(
            [each.name for each in new] == [each.name for each in old]
            for new, old in (
                (scene.solids, self.scene.solids),
                (scene.surfaces, self.scene.surfaces),
                (scene.tubes, self.scene.tubes),
                (scene.lines, self.scene.lines),
                (scene.arrows, self.scene.arrows),
            )
        )

    def replace(self, scene: Scene) -> None:
        """Draw another scene and set the cameras.

        New objects get new names. The page keeps the pose of a name, and a pose at the origin is not sent, so a new
        object with an old name would have the pose of the old object.
        """
        for handle in self.handles:
            handle.remove()
        self.scene_number += 1
        self.root = f"/{self.scene_number}"
        self.scene = scene
        reach = float(np.linalg.norm(np.subtract(scene.eye, scene.target)))
        self._set_surroundings(reach)
        self._set_cameras()
        self._add_objects()
        self._add_arrows(thickness=0.006 * reach)
        self.marks = [
            self.server.scene.add_label(f"{self.root}/marks/{i}", text, position=place)
            for i, (text, place) in enumerate(scene.marks)
        ]
        self.handles = [*self.solids, *self.surfaces, *self.tubes, *self.lines, *self.arrows]
        self.handles += [*self.dots.values(), *self.labels, *self.marks]
        self.drawn: dict[int, bytes] = {}
        self.draw(scene, 0)

    def _set_surroundings(self, reach: float) -> None:
        """Set lights, background, and fog at sea.

        A browser without graphics card is assumed: no shadows, and no environment map, which delays the first frame.
        """
        server_scene, scene = self.server.scene, self.scene
        server_scene.set_up_direction(scene.up)
        server_scene.configure_default_lights(cast_shadow=False)
        server_scene.configure_environment_map(None)
        above = tuple(up_vector(scene.up).tolist())
        server_scene.add_light_hemisphere(
            "/sky", intensity=SKY_LIGHT, ground_color=GROUND_COLOUR, position=above
        )
        self.set_dark(self.dark)
        server_scene.configure_fog(
            40 * reach, 300 * reach, color=BACKGROUNDS[scene.setting][1], enabled=scene.setting == "sea"
        )

    def set_dark(self, dark: bool) -> None:
        """Set a light or dark room; sky, sea and space do not change."""
        self.dark = dark
        self.background_css.content = background_css(self.scene.setting, dark)

    def _set_cameras(self) -> None:
        """Set the camera of the scene for present and future clients."""
        scene = self.scene
        self.server.initial_camera.position = scene.eye
        self.server.initial_camera.look_at = scene.target
        for client in self.server.get_clients().values():
            client.camera.up_direction = up_vector(scene.up)
            client.camera.position, client.camera.look_at = scene.eye, scene.target

    def _add_objects(self) -> None:
        """Add solids, surfaces, tubes and lines."""
        server_scene, scene = self.server.scene, self.scene
        self.solids = [
            server_scene.add_mesh_simple(
                f"{self.root}/solids/{i}",
                np.asarray(solid.mesh.vertices, np.float32),
                np.asarray(solid.mesh.faces, np.uint32),
                color=rgb(solid.colour),
                opacity=solid.opacity if solid.opacity < 1 else None,
                side="double",
                flat_shading=False,
            )
            for i, solid in enumerate(scene.solids)
        ]
        self.surfaces = [
            server_scene.add_mesh_simple(
                f"{self.root}/surfaces/{i}",
                np.asarray(surface.points(0), np.float32),
                np.asarray(surface.faces, np.uint32),
                color=rgb(surface.colour),
                flat_shading=False,
            )
            for i, surface in enumerate(scene.surfaces)
        ]
        piece = tube_piece()
        self.tubes = [
            server_scene.add_batched_meshes_simple(
                f"{self.root}/tubes/{i}",
                np.asarray(piece.vertices, np.float32),
                np.asarray(piece.faces, np.uint32),
                *links(tube.points(0), tube.radius)[:2],
                batched_scales=links(tube.points(0), tube.radius)[2],
                batched_colors=rgb(tube.colour),
                lod="off",
            )
            for i, tube in enumerate(scene.tubes)
        ]
        self.lines = [
            server_scene.add_line_segments(
                f"{self.root}/lines/{i}",
                segments(line.points(0)),
                rgb(line.colour, line.ghost),
                thickness=line.width,
                thickness_units="screen",
            )
            for i, line in enumerate(scene.lines)
        ]

    def _add_arrows(self, thickness: float) -> None:
        """Add arrows, contact points and labels."""
        server_scene = self.server.scene
        self.head = 5 * thickness  # [m] length of an arrow's head
        self.arrows = [
            server_scene.add_arrows(
                f"{self.root}/arrows/{i}",
                arrow_points(arrow, 0, self.head),
                rgb(arrow.colour),
                shaft_radius=thickness,
                head_radius=2.5 * thickness,
                head_length=self.head,
            )
            for i, arrow in enumerate(self.scene.arrows)
        ]
        dot = ellipsoid(3 * (DOT * self.head,), 10)
        self.dots = {
            i: server_scene.add_mesh_simple(
                f"{self.root}/contacts/{i}",
                np.asarray(dot.vertices, np.float32),
                np.asarray(dot.faces, np.uint32),
                color=rgb(arrow.colour),
                flat_shading=False,
            )
            for i, arrow in enumerate(self.scene.arrows)
            if arrow.contact is not None
        }
        self.labels = [
            server_scene.add_label(f"{self.root}/values/{i}", "") for i, _ in enumerate(self.scene.arrows)
        ]

    def draw(self, scene: Scene, k: int, quickly: bool = False) -> None:
        """Show sample k of a scene with the same objects; `quickly` without trails."""
        with self.server.atomic():
            for solid, handle in zip(scene.solids, self.solids, strict=True):
                R, p = solid.pose(k)
                if self._has_moved(handle, p.tobytes() + R.tobytes()):  # objects at rest are not sent again
                    handle.wxyz, handle.position = quaternion(R), p
                if solid.stretch is not None:
                    handle.scale = (max(float(solid.stretch(k)), 1e-6), 1.0, 1.0)
            for surface, handle in zip(scene.surfaces, self.surfaces, strict=True):
                handle.vertices = np.asarray(surface.points(k), np.float32)
            for tube, handle in zip(scene.tubes, self.tubes, strict=True):
                turns, places, stretches = links(tube.points(k), tube.radius)
                if self._has_moved(handle, places.tobytes() + stretches.tobytes()):
                    handle.batched_wxyzs, handle.batched_positions = turns, places
                    handle.batched_scales = stretches
            for line, handle in zip(scene.lines, self.lines, strict=True):
                if not (line.slow and quickly):
                    points = segments(line.points(k))
                    if self._has_moved(handle, points.tobytes()):
                        handle.points = points
            for i, arrow in enumerate(scene.arrows):
                self._update_arrow(i, arrow, k)
            self._place_labels(scene, k)

    def _place_labels(self, scene: Scene, k: int) -> None:
        """Place all labels without overlap on the smallest screen."""
        eye, size = self._smallest_screen()
        taken: list[Box] = []
        labels = [
            (label, np.array([place])) for label, (_, place) in zip(self.marks, self.scene.marks, strict=True)
        ]
        labels += [
            (label, arrow_points(arrow, k, self.head)[0])
            for arrow, label in zip(scene.arrows, self.labels, strict=True)
            if label.visible
        ]
        for label, points in labels:
            place = place_label(points, label.text, eye, size, taken)
            if self._has_moved(label, place.tobytes()):
                label.position = place
        self.labels_view = view_key(eye, size)

    def update_labels(self, scene: Scene, k: int) -> None:
        """Place the labels again if a camera or a screen has changed."""
        now = time.monotonic()
        if now - self.labels_time > 1 / LABEL_RATE and self.labels_view != view_key(*self._smallest_screen()):
            self.labels_time = now
            with self.server.atomic():
                self._place_labels(scene, k)

    def _smallest_screen(self) -> tuple[Camera, tuple[float, float]]:
        """Return camera and size [px] of the smallest client screen; those of the scene without client."""
        up = up_vector(self.scene.up)
        clients = [client.camera for client in self.server.get_clients().values()]
        if not clients:
            eye = Camera(np.array(self.scene.eye), np.array(self.scene.target), up, OPENING)
            return eye, (ASPECT * SCREEN, SCREEN)
        smallest = min(clients, key=lambda camera: camera.image_width)
        opening = float(np.degrees(smallest.fov))
        eye = Camera(np.array(smallest.position), np.array(smallest.look_at), up, opening)
        return eye, (smallest.image_width, smallest.image_height)

    def _update_arrow(self, i: int, arrow: Arrow, k: int) -> None:
        """Update arrow, label and contact point of a force; hide them if the force is negligible."""
        handle, label, dot = self.arrows[i], self.labels[i], self.dots.get(i)
        acts = float(np.linalg.norm(arrow.vector(k))) * arrow.length > LEAST * self.head
        if handle.visible != acts:
            for each in (handle, label, dot):
                if each is not None:
                    each.visible = acts
        if not acts:
            return
        ends = arrow_points(arrow, k, self.head)
        if self._has_moved(handle, ends.tobytes()):
            handle.points = ends
        if dot is not None and arrow.contact is not None:
            place = np.asarray(arrow.contact(k), float)
            if self._has_moved(dot, place.tobytes()):
                dot.position = place
        text = arrow.label_text(k)
        if label.text != text:
            label.text = text

    def _has_moved(self, handle: Any, numbers: bytes) -> bool:
        """Return whether an object has moved since it was drawn."""
        moved = self.drawn.get(id(handle)) != numbers
        self.drawn[id(handle)] = numbers
        return moved
