"""Words in a picture of a stage: sizes of forces, what stands where, a bar that says how long things are."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.report.style import prefixed
from dovetail.view.raster import Camera
from dovetail.view.scene import LEAST
from dovetail.view.stage import Stage

INK, PAPER, FORCE = (32, 37, 43), (255, 255, 255), (150, 20, 130)


@cache
def font(size: int, bold: bool = False) -> Any:
    """DejaVu Sans, which comes with matplotlib."""
    import matplotlib as mpl
    from PIL import ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(mpl.get_data_path(), "fonts", "ttf", name)), size)


class Lettering:
    """What is written into the pictures of one stage."""

    def __init__(self, stage: Stage, wide: int, tall: int, letters: int | None = None):
        self.stage, self.wide, self.tall = stage, wide, tall
        self.size = letters or max(11, round(tall / 42))  # [px]

    def write(self, image: Any, k: int, camera: Camera) -> Any:
        """The picture with its words."""
        from PIL import ImageDraw

        pen = ImageDraw.Draw(image, "RGBA")
        self.taken: list[tuple[float, float, float, float]] = []  # where there are letters already
        for text, place in self.stage.marks:
            self._beside(pen, camera, np.asarray(place, float), text, INK)
        head = 0.03 * float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        for arrow in self.stage.arrows:
            vector = np.asarray(arrow.vector(k), float)
            size = float(np.linalg.norm(vector))
            if size * arrow.length > LEAST * head:
                factor, unit = prefixed([size], "N")
                long = max(size * arrow.length, head) / size
                tip = np.asarray(arrow.at(k), float) + long * vector
                self._beside(pen, camera, tip, f"{arrow.name}: {factor * size:.3g} {unit}", FORCE)
        self._bar(pen, camera)
        return image

    def _beside(self, pen: Any, camera: Camera, place: np.ndarray, text: str, colour: Any) -> None:
        """A text on a pale ground beside a place, where that is in the picture."""
        seen = camera.seen(place)
        if seen[2] <= 0:
            return
        x, y, _ = camera.on_raster(seen, self.wide, self.tall)
        if not (0 <= x < self.wide and 0 <= y < self.tall):
            return
        box = pen.textbbox((0, 0), text, font=font(self.size))
        x = min(x + 8, self.wide - box[2] - 6)
        y = self._free(x, min(max(y - box[3] - 2, 2), self.tall - box[3] - 4), box[2], box[3])
        pen.rounded_rectangle((x - 4, y - 2, x + box[2] + 4, y + box[3] + 3), 4, fill=(*PAPER, 205))
        pen.text((x, y), text, font=font(self.size), fill=colour)

    def _free(self, x: float, y: float, wide: float, tall: float) -> float:
        """The height nearest to y at which a text hides no other; y itself where there is none."""
        step = tall + 6
        tries = [y + sign * i * step / 2 for i in range(24) for sign in (-1, 1)]
        inside = [at for at in tries if 2 <= at <= self.tall - tall - 4]
        clear = (at for at in inside if not any(_overlap((x, at, wide, tall), other) for other in self.taken))
        y = next(clear, y)
        self.taken.append((x, y, wide, tall))
        return y

    def _bar(self, pen: Any, camera: Camera) -> None:
        """How long a length is where one looks at, or, where motion is drawn enlarged, how far things move."""
        far = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        pixels = camera.focal(self.tall) / far * self.stage.enlarged  # of a metre
        length = round_below(0.2 * self.wide / pixels)
        factor, unit = prefixed([length], "m")
        text = f"{factor * length:.3g} {unit}" + (" of motion" if self.stage.enlarged != 1.0 else "")
        x1, y = self.wide - 0.02 * self.wide, self.tall - 0.035 * self.tall
        x0 = x1 - pixels * length
        half = pen.textlength(text, font=font(self.size)) / 2
        middle = min((x0 + x1) / 2, x1 - half)
        left = min(x0, middle - half)
        pen.rounded_rectangle((left - 5, y - 1.5 * self.size - 4, x1 + 5, y + 8), 4, fill=(*PAPER, 205))
        pen.line((x0, y, x1, y), fill=INK, width=2)
        for x in (x0, x1):
            pen.line((x, y - 5, x, y + 5), fill=INK, width=2)
        pen.text((middle, y - 5), text, font=font(self.size), fill=INK, anchor="ms")


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    """Whether two texts (left, top, width, height) and the ground that they stand on meet."""
    return (
        abs(a[0] + a[2] / 2 - b[0] - b[2] / 2) < (a[2] + b[2]) / 2 + 8
        and abs(a[1] - b[1]) < (a[3] + b[3]) / 2 + 5
    )


def round_below(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not larger."""
    power = 10.0 ** np.floor(np.log10(length) + 1e-12)
    return float(max(step * power for step in (1, 2, 5) if step * power <= length * (1 + 1e-12)))
