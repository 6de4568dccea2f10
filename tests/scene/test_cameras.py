"""Cameras of a scene."""

import numpy as np
import pytest

from dovetail.core.errors import UnknownNameError
from dovetail.scene import shapes
from dovetail.scene.cameras import FREE, NAMES, camera, on_screen
from dovetail.scene.scene import FILLED, Scene, Solid, aim_camera, outline

WAY = np.array([[0.0, 0, 0], [3, 0, 0], [6, 1, 0.5]])


@pytest.fixture(params=["+z", "-z", "-y"])
def scene(request):
    body = Solid("s", shapes.box((1, 1, 1)), lambda k: (np.eye(3), WAY[k]))
    made = Scene("t", np.arange(3.0), solids=[body], up=request.param, focus=lambda k: WAY[k], nearby=1.0)
    return aim_camera(made)


@pytest.mark.parametrize("name", NAMES)
def test_the_subject_is_in_every_frame(scene, name):
    wide, tall = 320, 180
    for k in range(3):
        here = camera(scene, name, wide / tall)(k)
        x, y, _ = here.project(here.in_camera_axes(WAY[k]), wide, tall)
        assert 0 < x < wide
        assert 0 < y < tall


def test_the_follow_camera_moves_and_the_overview_is_fixed(scene):
    follow, overview = camera(scene, "follow", 1.8), camera(scene, "overview", 1.8)
    np.testing.assert_allclose(follow(2).eye - follow(0).eye, WAY[2] - WAY[0], atol=1e-12)
    np.testing.assert_array_equal(overview(2).eye, overview(0).eye)


def test_a_close_up_is_nearer_than_one_that_follows(scene):
    far = [np.linalg.norm(camera(scene, name, 1.8)(1).eye - WAY[1]) for name in ("close-up", "follow")]
    assert far[0] < 0.7 * far[1]


def test_the_side_is_seen_level(scene):
    here = camera(scene, "side", 1.8)(0)
    ahead = here.axes[2]
    assert abs(ahead @ here.up) < 0.1


def test_an_unknown_camera_lists_the_known_ones(scene):
    with pytest.raises(UnknownNameError, match="close-up, follow, overview, side"):
        camera(scene, "behind", 1.8)


@pytest.mark.parametrize("name", NAMES)
def test_on_a_phone_the_subject_is_above_the_panel(scene, name):
    wide, tall = 420, 800
    for k in range(3):
        here = on_screen(scene, name, wide / tall)(k)
        x, y, _ = here.project(here.in_camera_axes(WAY[k]), wide, tall)
        assert 0 < x < wide
        assert 0 < y < FREE * tall


def test_on_a_phone_the_camera_height_is_unchanged(scene):
    free = on_screen(scene, "overview", 420 / 800)(0)
    assert (free.eye - scene.subject.mean(axis=0)) @ free.up > 0


def filling(here, points, aspect):
    """Left, top, right and bottom of points in the picture, from -1 to 1 each way."""
    seen = here.in_camera_axes(points)
    assert np.all(seen[:, 2] > 0)
    x, y = (here.focal(2) * seen[:, i] / seen[:, 2] for i in (0, 1))
    return np.array([x.min() / aspect, y.min(), x.max() / aspect, y.max()])


@pytest.mark.parametrize("name", ["overview", "side"])
@pytest.mark.parametrize("aspect", [0.9, 1.36, 1.9])
def test_the_whole_run_fills_the_set_fraction_of_the_canvas(scene, name, aspect):
    left, top, right, bottom = filling(on_screen(scene, name, aspect)(0), outline(scene), aspect)
    assert max(right - left, bottom - top) / 2 == pytest.approx(FILLED)
    assert np.abs([left, top, right, bottom]).max() == pytest.approx(FILLED)  # none nearer to an edge
    assert 0.6 <= FILLED <= 0.8


@pytest.mark.parametrize("name", ["overview", "side"])
def test_on_a_phone_the_run_fills_the_set_fraction_above_the_panel(scene, name):
    left, top, right, bottom = filling(on_screen(scene, name, 0.55)(0), outline(scene), 0.55)
    share = max((right - left) / 2, (bottom - top) / 2 / FREE)
    assert 0.6 < share < 0.9  # the eye looks lower than at it, which makes its edges larger
    assert top > -1.0
    assert bottom < -1.0 + 2 * FREE


def test_a_close_up_shows_the_subject_over_the_set_fraction(scene):
    here = on_screen(scene, "close-up", 1.36)(1)
    right, down, _ = here.axes
    ball = WAY[1] + 0.5 * np.stack([right, -right, down, -down])
    left, top, right, bottom = filling(here, ball, 1.36)
    assert (bottom - top) / 2 == pytest.approx(FILLED)
