"""Images of a scene: visibility, translucency, force arrows."""

import numpy as np
import pytest

from dovetail.scene import shapes
from dovetail.scene.draw import SceneRenderer
from dovetail.scene.scene import Arrow, Line, Scene, Solid, Tube, aim_camera, fixed

RED, BLUE = "#ff0000", "#0000ff"


def drawn(k=0, wide=96, tall=64, **things):
    scene = aim_camera(Scene("t", np.arange(3.0), **things), (0.0, 1.0, -0.2))
    return np.asarray(SceneRenderer(scene, wide, tall).draw(k, with_labels=False), float)


def middle(picture):
    return picture[picture.shape[0] // 2, picture.shape[1] // 2]


def test_near_bodies_hide_far_ones():
    near = Solid("near", shapes.box((1, 1, 1)), fixed((0, -1, 0)), RED)
    far = Solid("far", shapes.box((1, 1, 1)), fixed((0, 1, 0)), BLUE)
    for order in ((near, far), (far, near)):
        r, g, b = middle(drawn(solids=order))
        assert r > 80
        assert g == b  # nothing of the blue one


def test_translucent_bodies_transmit_their_fraction():
    far = Solid("far", shapes.box((1, 1, 1)), fixed((0, 1, 0)), BLUE)
    glass = Solid("near", shapes.box((1, 1, 1)), fixed((0, -1, 0)), RED, 0.25)
    alone, both = middle(drawn(solids=(far,))), middle(drawn(solids=(glass, far)))
    assert both[2] == pytest.approx(0.75 * alone[2], abs=3)
    assert both[0] > 20


def test_a_body_is_drawn_at_its_pose():
    solid = Solid("s", shapes.box((0.2, 0.2, 0.2)), lambda k: (np.eye(3), np.array([k - 1.0, 0, 0])), RED)
    columns = []
    for k in range(3):
        picture = drawn(k, solids=(solid,))
        columns.append(np.nonzero((picture[..., 0] - picture[..., 1]) > 60)[1].mean())
    assert columns[0] < columns[1] < columns[2]
    assert columns[0] + columns[2] == pytest.approx(2 * columns[1], abs=1.0)


def test_only_acting_forces_have_arrows():
    solid = Solid("s", shapes.box((1, 1, 1)), colour="#808080")
    force = Arrow("f", lambda k: np.array([0, -0.6, 0.0]), lambda k: k * np.array([0, 0, 5e-3]), 1.0, RED)

    def red(k):
        picture = drawn(k, solids=(solid,), arrows=(force,))
        return int(((picture[..., 0] - picture[..., 1]) > 60).sum())

    assert red(0) == 0
    assert red(1) > 5  # a small force is not drawn smaller than its head


def test_a_body_throws_a_shadow_on_the_floor():
    floor = Solid("floor", shapes.box((6, 6, 0.1)), fixed((0, 0, -0.55)), "#c0c0c0", scenery=True)
    body = Solid("body", shapes.box((1, 1, 1)), colour=RED)
    bare, under = (
        drawn(solids=(floor, Solid("b", shapes.box((1e-3,) * 3), fixed((0, 0, 0)), RED))),
        drawn(solids=(floor, body)),
    )
    grey = np.ptp(under, axis=2) < 4
    floors = grey & (np.ptp(bare, axis=2) < 4)
    values, counts = np.unique(under[floors][:, 0].round(-1), return_counts=True)
    assert counts[values < 0.75 * values[np.argmax(counts)]].sum() > 20


def test_lines_and_tubes_are_drawn():
    way = np.array([[-1.0, 0, 0], [0, 0, 0.0], [1, 0, 0]])
    body = Solid("s", shapes.box((2, 0.1, 0.1)), fixed((0, 1, 0)), "#808080")
    for thing in (
        {"lines": (Line("l", lambda k: way, RED, 4.0),)},
        {"tubes": (Tube("t", lambda k: way, 0.1, RED),)},
    ):
        picture = drawn(solids=(body,), **thing)
        assert ((picture[..., 0] - picture[..., 1]) > 60).any(axis=0).sum() > 30  # columns


@pytest.mark.parametrize("setting", ["room", "sky", "sea", "space"])
def test_every_setting_has_something_behind(setting):
    body = Solid("s", shapes.box((1, 1, 1)), colour=RED)
    picture = drawn(solids=(body,), setting=setting)
    assert np.ptp(picture[..., 2]) > 3


def test_a_dot_marks_where_bodies_touch_while_the_force_acts():
    room = Solid("room", shapes.box((4, 0.1, 4)), fixed((0, 2, 0)), BLUE)

    def force(k):
        return np.array([0.0, 0.0, 100.0 * k])

    arrow = Arrow("f", lambda k: np.array([1.5, 0.0, 1.0]), force, 1e-3, RED, contact=lambda k: np.zeros(3))

    def red(k):
        picture = drawn(k, 384, 256, solids=(room,), arrows=(arrow,))
        return picture[64:192, 128:256, 0].max()  # about the point, away from the arrow

    assert red(1) > red(0) + 100
