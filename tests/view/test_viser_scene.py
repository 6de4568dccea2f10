"""Scene drawn by viser, without client."""

import re

import numpy as np
import pytest

from dovetail.scene import shapes
from dovetail.scene.raster import Camera
from dovetail.scene.scene import Arrow, Scene, Solid, fixed
from dovetail.view.viser_scene import (
    LETTER,
    LINE,
    ViserScene,
    arrow_points,
    background_css,
    escape_markup,
    place_label,
    text_lines,
)


def test_markup_in_names_is_escaped():
    assert escape_markup("<script>alert(1)</script>") == "&lt;script&gt;alert\\(1\\)&lt;/script&gt;"
    assert escape_markup("[a](javascript:b) **c**") == "\\[a\\]\\(javascript:b\\) \\*\\*c\\*\\*"


def test_markup_in_messages_is_escaped():
    said = text_lines("t = 1 s", "", "<b>a & b</b>")
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in said
    assert said.count("<p") == 2  # an empty one is none


def test_an_arrow_is_proportional_to_its_force_with_a_minimum_length():
    arrow = Arrow("force", lambda k: np.zeros(3), lambda k: np.array([0.0, 0.0, 10.0 * k]), length=0.01)
    np.testing.assert_allclose(arrow_points(arrow, 2)[0, 1], [0, 0, 0.2], rtol=1e-6)
    assert np.any(arrow_points(arrow, 0)[0, 1])


def test_a_small_force_is_drawn_as_long_as_an_arrows_head():
    arrow = Arrow("force", lambda k: np.zeros(3), lambda k: np.array([0.0, 0.0, 1e-3]), length=1.0)
    np.testing.assert_allclose(arrow_points(arrow, 0, 0.1)[0, 1], [0, 0, 0.1], rtol=1e-5)


def test_the_sky_is_paler_below_and_only_laboratories_have_a_dark_mode():
    above, below = (
        sum(map(int, found)) for found in re.findall(r"rgb\((\d+), (\d+), (\d+)\)", background_css("sky"))
    )
    assert above < below
    assert background_css("sky", dark=True) == background_css("sky")
    assert background_css("room", dark=True) != background_css("room")


def test_redrawn_objects_have_new_names():
    """The page keeps the pose of a name: a ghost at the origin stood where another thing had stood."""
    viser = pytest.importorskip("viser")
    server = viser.ViserServer(port=0, verbose=False)
    scene = Scene("t", np.arange(2.0), solids=[Solid("a", shapes.box((1, 1, 1)), fixed((3.0, 0, 0)))])
    ghost = Scene("t", np.arange(2.0), solids=[Solid("reference", shapes.box((1, 1, 1)))])
    try:
        viser_scene = ViserScene(server, scene)
        before = {handle.name for handle in viser_scene.handles}
        viser_scene.replace(ghost)
        assert before.isdisjoint(handle.name for handle in viser_scene.handles)
    finally:
        server.stop()


def test_labels_at_one_position_are_stacked():
    eye = Camera(np.array([0.0, -10.0, 0.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), 75.0)
    taken = []
    places = [
        place_label(np.array([[0.01 * i, 0.0, 0.0]]), "foot 1: 523 N", eye, (900, 400), taken)
        for i in range(8)
    ]
    rows = eye.project(eye.in_camera_axes(np.array(places)), 0, 400)
    np.testing.assert_allclose(places[0], [0, 0, 0], atol=1e-12)  # the first is where it was
    assert np.diff(np.sort(rows[:, 1])).min() >= LINE
    np.testing.assert_allclose(rows[:, 0], rows[0, 0], atol=10.0)  # none is moved aside
    far = place_label(np.array([[5.0, 0.0, 0.0]]), "foot 9", eye, (900, 400), taken)
    assert 5.0 * eye.focal(400) / 10.0 > 13 * LETTER  # there is room beside the others
    np.testing.assert_allclose(far, [5.0, 0.0, 0.0])


def test_a_label_at_the_edge_of_the_screen_is_moved_inside():
    eye = Camera(np.array([0.0, -10.0, 0.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), 75.0)
    text, wide = "force on the drogue: 7.48 kN, 43 × weight of the drogue", 420
    place = place_label(np.array([[3.0, 0.0, 1.0]]), text, eye, (wide, 400), [])
    (was, row, _), (x, y, _) = eye.project(eye.in_camera_axes(np.array([[3.0, 0.0, 1.0], place])), wide, 400)
    assert was + LETTER * len(text) > wide  # it would have been cut
    assert 0 <= x <= wide - LETTER * len(text)
    assert y == pytest.approx(row)


def test_labels_are_placed_again_when_the_camera_moves():
    viser = pytest.importorskip("viser")
    server = viser.ViserServer(port=0, verbose=False)
    marks = [("one", (0.0, 0, 0)), ("two", (0.0, 1e-3, 0))]
    scene = Scene("t", np.arange(2.0), solids=[Solid("a", shapes.box((1, 1, 1)))], marks=marks)
    try:
        viser_scene = ViserScene(server, scene)
        before = [tuple(label.position) for label in viser_scene.marks]
        viser_scene.update_labels(scene, 0)
        assert [tuple(label.position) for label in viser_scene.marks] == before  # the look is the same
        near = Camera(np.array([0.0, -1.0, 0.5]), np.zeros(3), np.array([0.0, 0.0, 1.0]), 75.0)
        viser_scene._smallest_screen = lambda: (near, (420.0, 300.0))
        viser_scene.labels_time = -1.0
        viser_scene.update_labels(scene, 0)
        assert [tuple(label.position) for label in viser_scene.marks] != before
    finally:
        server.stop()
