"""Scene as data, without browser."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from dovetail.scene.scene import (
    ASPECT,
    FILLED,
    OPENING,
    TRAIL,
    Arrow,
    Line,
    Scene,
    Solid,
    aim_camera,
    outline,
    trail,
    visibly_different,
)
from dovetail.scene.shapes import box

TIMES = np.arange(5.0)


def scene(up="+z", **more):
    return Scene(
        "a", TIMES, [Line("trail", lambda k: np.array([[0.0, 0, 0], [1.0, 2.0, 3.0]]))], up=up, **more
    )


@pytest.mark.parametrize(("up", "axis", "sign"), [("+z", 2, 1), ("-z", 2, -1), ("-y", 1, -1)])
def test_the_camera_is_above_its_target(up, axis, sign):
    seen = aim_camera(scene(up))
    assert sign * (seen.eye[axis] - seen.target[axis]) > 0


def test_the_outline_contains_moving_bodies_without_scenery():
    moving = Solid("mass", box((1, 1, 1)), lambda k: (np.eye(3), np.array([2.0 * k, 0, 0])))
    sea = Solid("sea", box((1e3, 1e3, 1e-3)), scenery=True)
    points = outline(scene(solids=[moving, sea]))
    np.testing.assert_allclose(points.min(axis=0), [-0.5, -0.5, -0.5])
    np.testing.assert_allclose(points.max(axis=0), [8.5, 0.5, 0.5])


def test_moving_bodies_fill_the_set_fraction_of_the_picture():
    seen = aim_camera(scene(solids=[Solid("mass", box((3, 1, 2)))]))
    eye, target = np.array(seen.eye), np.array(seen.target)
    way = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(way, [0, 0, 1])
    right /= np.linalg.norm(right)
    corners = box((3, 1, 2)).vertices - eye
    deep = corners @ way
    half = np.tan(np.radians(OPENING / 2))
    across = np.abs(corners @ right) / deep / half / ASPECT
    along = np.abs(corners @ np.cross(right, way)) / deep / half
    assert max(across.max(), along.max()) == pytest.approx(FILLED, rel=1e-6)


def test_a_trail_has_few_fixed_points_and_ends_at_the_body():
    path = np.random.default_rng(2).standard_normal((9000, 3)).cumsum(axis=0)
    before, after = (trail(path, k) for k in (7000, 7010))
    assert len(after) <= TRAIL + 1
    assert {tuple(p) for p in before[1:-1]} <= {tuple(p) for p in after}
    np.testing.assert_array_equal(after[-1], path[7010])
    assert len(trail(path, 0)) == 2


def test_an_arrow_label_has_name_magnitude_and_reference():
    force = Arrow("push", lambda k: np.zeros(3), lambda k: np.array([0.0, 0.0, -1500.0]), 1e-3)
    assert force.label_text(0) == "push: 1.5 kN"
    assert replace(force, text=lambda k: "2 × weight").label_text(0) == "push: 1.5 kN, 2 × weight"


def test_the_reference_is_drawn_if_it_differs_visibly_from_the_body():
    there = np.zeros((3, 2))
    near, far = there + 1e-4, there + np.array([[0, 0], [0.1, 0], [0, 0]])
    ended, going_on = xr.Dataset(), xr.Dataset(attrs={"going_on": True})
    assert not visibly_different(ended, near, there, 1.0)
    assert visibly_different(ended, far, there, 1.0)
    assert visibly_different(going_on, near, there, 1.0)
