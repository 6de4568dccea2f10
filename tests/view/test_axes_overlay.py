"""Axes and scale bar of a page."""

import re
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest

from dovetail.scene.raster import Camera
from dovetail.scene.scene import Scene
from dovetail.view.axes_overlay import AxesOverlay, camera_of, overlay_css, svg

LEVEL = Camera(np.array([0.0, -10.0, 0.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), 75.0)


def legs(drawing):
    """How far each axis reaches to the right and down [px], from the farthest to the nearest."""
    return [tuple(map(float, pair)) for pair in re.findall(r"l(-?\d+) (-?\d+)", drawing)]


def test_the_axes_have_the_directions_of_the_picture():
    drawing = svg(LEVEL, 800)
    names = re.findall(r">([xyz])<", drawing)
    found = dict(zip(names, legs(drawing), strict=True))
    assert found == {"y": (0.0, 0.0), "x": (26.0, 0.0), "z": (0.0, -26.0)}
    assert names[0] == "y"  # which points away, and is drawn first


@pytest.mark.parametrize("enlarged", [1.0, 50.0])
def test_the_scale_bar_has_its_stated_length(enlarged):
    drawing = svg(LEVEL, 800, enlarged)
    begin, end = map(float, re.search(r"M(\d+) 52v10m0-5H(\d+)", drawing).groups())
    number, unit = re.search(r">([\d.]+) (m|mm)( of motion)?<", drawing).groups()[:2]
    metres = float(number) * {"m": 1.0, "mm": 1e-3}[unit]
    a, b = LEVEL.project(LEVEL.in_camera_axes(np.array([[0.0, 0, 0], [enlarged * metres, 0, 0]])), 1000, 800)
    assert end - begin == pytest.approx(b[0] - a[0], abs=1.0)
    assert ("of motion" in drawing) == (enlarged != 1.0)


def test_the_drawing_is_complete_in_the_style_of_the_page():
    content = overlay_css(LEVEL, 800)
    (image,) = re.findall(r'url\("data:image/svg\+xml,([^"]*)"\)', content)
    assert unquote(image) == svg(LEVEL, 800)
    assert not re.search(r"[<>'(){}]", image)


class Page:
    """What a page of viser has of what a corner asks for."""

    def __init__(self):
        camera = SimpleNamespace(
            position=LEVEL.eye,
            look_at=LEVEL.target,
            up_direction=LEVEL.up,
            fov=np.radians(75.0),
            image_height=800,
        )
        self.added, self.removed = [], []
        gui = SimpleNamespace(add_html=self._add)
        self.client = SimpleNamespace(camera=camera, gui=gui)
        self.clients = {3: self.client}

    def _add(self, content):
        self.added.append(SimpleNamespace(content=content, remove=lambda: self.removed.append(content)))
        return self.added[-1]

    def get_clients(self):
        return self.clients


def test_each_client_has_its_own_axes_until_it_leaves(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("dovetail.view.axes_overlay.time", SimpleNamespace(monotonic=lambda: clock[0]))
    page, scene = Page(), Scene("t", np.arange(2.0))
    axes_overlay = AxesOverlay(page)
    axes_overlay.update(scene)
    (handle,) = page.added
    assert handle.content == overlay_css(camera_of(page.client.camera), 800)
    page.client.camera.position = np.array([10.0, 0.0, 0.0])
    axes_overlay.update(scene)
    assert handle.content == overlay_css(LEVEL, 800)  # too soon
    clock[0] += 1.0
    axes_overlay.update(scene)
    assert handle.content == overlay_css(camera_of(page.client.camera), 800)
    assert len(page.added) == 1
    page.clients = {}
    axes_overlay.update(scene)
    assert not axes_overlay.handles


def test_overlays_can_be_removed():
    page = Page()
    axes_overlay = AxesOverlay(page)
    axes_overlay.update(Scene("t", np.arange(2.0)))
    axes_overlay.remove()
    assert page.removed == [page.added[0].content]
    assert not axes_overlay.handles
