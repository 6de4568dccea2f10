"""Text in an image of a scene: force labels, marks, scale bar and axes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.si_prefix import si_prefix
from dovetail.scene.labels import AXES, Box, beyond_tip, free_top, round_below
from dovetail.scene.polylines import LEAST
from dovetail.scene.raster import Camera
from dovetail.scene.scene import Scene

INK, PAPER, FORCE = (32, 37, 43), (255, 255, 255), (150, 20, 130)


@cache
def font(size: int, bold: bool = False) -> Any:
    """Return the font DejaVu Sans, which comes with matplotlib."""
    import matplotlib as mpl
    from PIL import ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(mpl.get_data_path(), "fonts", "ttf", name)), size)


class Lettering:
    """Text in the images of one scene."""

    def __init__(self, scene: Scene, wide: int, tall: int, letters: int | None = None):
        self.scene, self.wide, self.tall = scene, wide, tall
        self.size = letters or max(11, round(tall / 42))  # [px]

    def write(self, image: Any, k: int, camera: Camera) -> Any:
        """Draw the text into an image and return it."""
        from PIL import ImageDraw

        pen = ImageDraw.Draw(image, "RGBA")
        for text, (x, y, wide, tall), colour in self.labels(k, camera):
            pen.rounded_rectangle((x - 4, y - 2, x + wide + 4, y + tall + 3), 4, fill=(*PAPER, 205))
            pen.text((x, y), text, font=font(self.size), fill=colour)
        self._bar(pen, camera)
        self._triad(pen, camera)
        return image

    def labels(self, k: int, camera: Camera) -> list[tuple[str, Box, Any]]:
        """Return text, box and colour of each label at sample k; stateless, because images are drawn in parallel."""
        texts = [(text, np.asarray(place, float)[None], INK) for text, place in self.scene.marks]
        head = 0.03 * float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        for arrow in self.scene.arrows:
            vector = np.asarray(arrow.vector(k), float)
            size = float(np.linalg.norm(vector))
            if size * arrow.length > LEAST * head:
                long = max(size * arrow.length, head) / size
                start = np.asarray(arrow.at(k), float)
                texts.append((arrow.label_text(k), np.stack([start, start + long * vector]), FORCE))
        taken: list[Box] = []
        placed = []
        for text, place, colour in texts:
            box = self._beside(camera, place, text, taken)
            if box is not None:
                placed.append((text, box, colour))
        return placed

    def _beside(self, camera: Camera, places: np.ndarray, text: str, taken: list[Box]) -> Box | None:
        """Return a free box for a text beside a point (1, 3), or beyond an arrow (2, 3); None outside the image."""
        seen = camera.in_camera_axes(places)
        if np.any(seen[:, 2] <= 0):
            return None
        points = camera.project(seen, self.wide, self.tall)[:, :2]
        x, y = points[-1]
        if not (0 <= x < self.wide and 0 <= y < self.tall):
            return None
        _, _, wide, tall = font(self.size).getbbox(text)
        left, top = (
            (x + 8, y - tall - 2) if len(points) == 1 else beyond_tip(points, wide, tall, self.wide / 2)
        )
        x = max(min(left, self.wide - wide - 6), 6)
        y = min(max(top, 2), self.tall - tall - 4)
        return x, free_top((x, y, wide, tall), taken, self.tall), wide, tall

    def _bar(self, pen: Any, camera: Camera) -> None:
        """Draw the scale bar of lengths at the target or, if motion is scaled, of the motion."""
        far = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        pixels = camera.focal(self.tall) / far * self.scene.enlarged  # [px/m]
        length = round_below(0.2 * self.wide / pixels)
        factor, unit = si_prefix([length], "m")
        text = f"{factor * length:.3g} {unit}" + (" of motion" if self.scene.enlarged != 1.0 else "")
        x1, y = self.wide - 0.02 * self.wide, self.tall - 0.035 * self.tall
        x0 = x1 - pixels * length
        half = pen.textlength(text, font=font(self.size)) / 2
        middle = min((x0 + x1) / 2, x1 - half)
        left = min(x0, middle - half)
        pen.rounded_rectangle((left - 5, y - 1.5 * self.size - 6, x1 + 5, y + 8), 4, fill=(*PAPER, 205))
        pen.line((x0, y, x1, y), fill=INK, width=2)
        for x in (x0, x1):
            pen.line((x, y - 5, x, y + 5), fill=INK, width=2)
        pen.text((middle, y - 7), text, font=font(self.size), fill=INK, anchor="ms")

    def _triad(self, pen: Any, camera: Camera) -> None:
        """Draw the directions of x, y and z above the scale bar (the clock of a video is at the lower left)."""
        long = 1.6 * self.size
        half = 1.3 * long + 0.7 * self.size
        x = self.wide - 0.02 * self.wide - half + 5
        y = self.tall - 0.035 * self.tall - 1.5 * self.size - 12 - half  # above the bar
        ground = (x - half, y - half, x + half, y + half)
        pen.rounded_rectangle(ground, 4, fill=(*PAPER, 150))
        ways = camera.axes.T  # components of each axis: right, down, ahead
        for i in np.argsort(-ways[:, 2]):  # farthest first
            right, down, _ = long * ways[i]
            pen.line((x, y, x + right, y + down), fill=AXES[i], width=2)
            at = (x + 1.3 * right, y + 1.3 * down)
            pen.text(at, "xyz"[i], font=font(self.size, bold=True), fill=AXES[i], anchor="mm")
