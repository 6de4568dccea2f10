"""Rasteriser, compared with a check of every pixel."""

import numpy as np
import pytest

from dovetail.scene.raster import Camera, clip_triangles, fragments, nearest, plane

WIDE, TALL = 40, 30


def inside(corners):
    """Which pixels' middles lie in a triangle: on the same side of all edges."""
    x, y = np.meshgrid(np.arange(WIDE) + 0.5, np.arange(TALL) + 0.5)
    sides = []
    for a, b in ((0, 1), (1, 2), (2, 0)):
        (xa, ya), (xb, yb) = corners[a, :2], corners[b, :2]
        sides.append((xb - xa) * (y - ya) - (yb - ya) * (x - xa))
    sides = np.array(sides)
    return (sides > 0).all(axis=0) | (sides < 0).all(axis=0)


@pytest.fixture
def some():
    rng = np.random.default_rng(3)
    places = rng.uniform([-15, -15], [WIDE + 15, TALL + 15], size=(200, 3, 2))
    return np.concatenate([places, rng.uniform(0.1, 1.0, size=(200, 3, 1))], axis=2)


def test_a_triangle_covers_pixels_with_centres_inside(some):
    for corners in some:
        found = fragments(corners[None], WIDE, TALL)
        assert len(np.unique(found.pixel)) == len(found.pixel)
        drawn = np.zeros(WIDE * TALL, bool)
        drawn[found.pixel] = True
        np.testing.assert_array_equal(drawn.reshape(TALL, WIDE), inside(corners))


def test_the_nearest_triangle_wins_at_every_pixel(some):
    inverse, face = np.zeros(WIDE * TALL, np.float32), np.full(WIDE * TALL, -1, np.int32)
    nearest(fragments(some, WIDE, TALL), inverse, face)
    x, y = np.meshgrid(np.arange(WIDE) + 0.5, np.arange(TALL) + 0.5)
    base = plane(some, some[..., 2])
    depth = np.stack(
        [np.where(inside(c), p[0] + p[1] * x + p[2] * y, 0.0) for c, p in zip(some, base, strict=True)]
    ).reshape(len(some), -1)
    np.testing.assert_allclose(inverse, depth.max(axis=0), rtol=0, atol=1e-5)  # single precision
    first, second = np.sort(depth, axis=0)[-1], np.sort(depth, axis=0)[-2]
    clear = first - second > 1e-4
    np.testing.assert_array_equal(face[clear], depth.argmax(axis=0)[clear])


def test_linear_values_are_interpolated_exactly(some):
    x, y = some[..., 0], some[..., 1]
    np.testing.assert_allclose(
        plane(some, 3 + 2 * x - y), np.tile([3.0, 2.0, -1.0], (len(some), 1)), atol=1e-6
    )


def test_parts_behind_the_camera_are_clipped():
    rng = np.random.default_rng(4)
    corners = rng.uniform(-2, 2, size=(100, 3, 3))
    kept, value, origin = clip_triangles(corners, corners @ [0.3, -0.2, 0.5], 0.1)
    assert kept[..., 2].min() >= 0.1 - 1e-12
    np.testing.assert_allclose(value, kept @ [0.3, -0.2, 0.5], atol=1e-12)  # values go with their places

    def area(triangles):
        return np.linalg.norm(
            np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1
        )

    behind = np.concatenate([corners * [1, 1, -1]])
    rest, _, other = clip_triangles(behind, np.zeros((100, 3)), -0.1)  # the mirror image: what was cut away
    both = np.bincount(origin, area(kept), 100) + np.bincount(other, area(rest), 100)
    np.testing.assert_allclose(both, area(corners), rtol=1e-9)


def test_a_camera_puts_its_target_in_the_middle_and_up_above_it():
    camera = Camera(np.array([3.0, -2.0, 1.0]), np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.0, 1.0]), 40.0)
    middle, above = camera.project(
        camera.in_camera_axes(np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.2]])), 200, 100
    )
    np.testing.assert_allclose(middle[:2], [100, 50], atol=1e-9)
    np.testing.assert_allclose(above[0], 100, atol=1e-9)
    assert above[1] < 50
