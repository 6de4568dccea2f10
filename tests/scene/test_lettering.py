"""Text in an image."""

import numpy as np
import pytest
from PIL import Image

from dovetail.scene import shapes
from dovetail.scene.cameras import usual
from dovetail.scene.labels import AXES
from dovetail.scene.lettering import Lettering
from dovetail.scene.scene import Scene, Solid, aim_camera


@pytest.mark.parametrize("enlarged", [1.0, 40.0])
def test_the_scale_bar_has_its_stated_length(enlarged):
    """The length that is written is told back from the pixels of the bar."""
    scene = aim_camera(
        Scene("t", np.arange(2.0), solids=[Solid("s", shapes.box((3, 1, 1)))], enlarged=enlarged)
    )
    wide, tall = 640, 360
    written = []

    class Heard(Lettering):
        def _bar(self, pen, camera):
            real = pen.text
            pen.text = lambda at, text, **style: (written.append(text), real(at, text, **style))
            super()._bar(pen, camera)

    camera = usual(scene, wide / tall)
    image = Heard(scene, wide, tall).write(Image.new("RGB", (wide, tall), "white"), 0, camera)
    rows = np.asarray(image.convert("L")) < 100
    bar = rows[round(tall - 0.035 * tall)]
    number, unit = written[0].split()[:2]
    metres = float(number) * {"m": 1.0, "mm": 1e-3}[unit]
    right, _, _ = camera.axes
    ends = camera.project(
        camera.in_camera_axes(np.stack([camera.target, camera.target + enlarged * metres * right])),
        wide,
        tall,
    )
    assert np.ptp(np.nonzero(bar)[0]) == pytest.approx(ends[1, 0] - ends[0, 0], abs=2.5)
    assert ("of motion" in written[0]) == (enlarged != 1.0)


def test_labels_at_one_position_do_not_overlap():
    marks = [(f"foot {i + 1}: 523 N", (0.0, 0.05 * i, 0.0)) for i in range(6)]
    scene = aim_camera(Scene("t", np.arange(2.0), solids=[Solid("s", shapes.box((3, 1, 1)))], marks=marks))
    lettering = Lettering(scene, 480, 280)
    camera = usual(scene, 480 / 280)
    boxes = [box for _, box, _ in lettering.labels(0, camera)]
    assert len(boxes) == 6
    assert boxes == [
        box for _, box, _ in lettering.labels(0, camera)
    ]  # what one picture took is free in the next
    for i, (x, y, wide, tall) in enumerate(boxes):
        assert 0 <= y <= 280 - tall
        for other in boxes[:i]:
            apart = abs(y - other[1]) >= tall or x + wide <= other[0] or other[0] + other[2] <= x
            assert apart


def test_axes_in_the_corner_have_the_directions_of_the_picture():
    """Seen along y with z up: x to the right in its colour, z up in its own, y a point."""
    scene = aim_camera(
        Scene("t", np.arange(2.0), solids=[Solid("s", shapes.box((3, 1, 1)))]), (0.0, 1.0, -1e-6)
    )
    image = Lettering(scene, 640, 360).write(
        Image.new("RGB", (640, 360), "white"), 0, usual(scene, 640 / 360)
    )
    corner = np.asarray(image)[200:, -160:].astype(int)
    places = [np.argwhere(np.all(np.abs(corner - colour) < 12, axis=-1)).mean(axis=0) for colour in AXES]
    (x_row, x_column), (y_row, y_column), (z_row, z_column) = places
    assert x_column > y_column + 8
    assert abs(x_row - y_row) < 4
    assert z_row < y_row - 8
    assert abs(z_column - y_column) < 4
