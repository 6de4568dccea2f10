"""Inertias of simple shapes, judged by integrating over their volume and by limits that must hold."""

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import cube, cuboid, cylinder, frustum, half_sphere, sphere


def sampled(inside, box, count=160):
    """Mass 1 spread over a grid in a box: centre and inertia about it, by summation."""
    axes = [np.linspace(lo, hi, count, endpoint=False) + (hi - lo) / (2 * count) for lo, hi in box]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    points = points[inside(points)]
    centre = points.mean(0)
    r = points - centre
    return centre, (np.eye(3) * (r**2).sum() - r.T @ r) / len(points)


def check(body, inside, box):
    # a grid of 160 misplaces the surface by less than half a cell: 3/160 of the inertia at most
    centre, inertia = sampled(inside, box)
    scale = np.max(inertia)
    np.testing.assert_allclose(body.inertia / body.mass, inertia, atol=0.01 * scale)
    np.testing.assert_allclose(body.centre, centre, atol=0.01 * np.sqrt(scale))


def test_half_sphere():
    box = [(0, 1), (-1, 1), (-1, 1)]
    check(half_sphere(2.0, 1.0), lambda p: (p**2).sum(1) < 1, box)


def test_hollow_cylinder():
    def inside(p):
        r = np.hypot(p[:, 1], p[:, 2])
        return (r < 1) & (r > 0.6)

    check(cylinder(2.0, 1.0, 3.0, inner=0.6), inside, [(-1.5, 1.5), (-1, 1), (-1, 1)])


def test_hollow_frustum():
    def inside(p):
        r = np.hypot(p[:, 1], p[:, 2])
        return (r < 0.5 + p[:, 0] / 4) & (r > 0.3 + p[:, 0] / 5)

    check(frustum(2.0, (0.5, 1.0), 2.0, inner=(0.3, 0.7)), inside, [(0, 2), (-1, 1), (-1, 1)])


def test_a_frustum_with_equal_ends_is_a_cylinder():
    a, b = frustum(2.0, (0.4, 0.4), 1.5, inner=(0.1, 0.1)), cylinder(2.0, 0.4, 1.5, inner=0.1)
    np.testing.assert_allclose(a.inertia, b.inertia, rtol=1e-13)
    assert float(a.centre[0]) == pytest.approx(0.75)


def test_a_pointed_frustum_is_a_cone():
    m, r, h = 2.0, 0.7, 1.9
    cone = frustum(m, (r, 0.0), h)
    assert float(cone.centre[0]) == pytest.approx(h / 4)
    across = 3 / 80 * m * (4 * r**2 + h**2)
    np.testing.assert_allclose(np.diag(cone.inertia), [0.3 * m * r**2, across, across], rtol=1e-12)


def test_two_half_spheres_are_a_sphere_and_a_thin_shell_has_two_thirds():
    from dovetail.mechanics.bodies import combine
    from dovetail.mechanics.spatial import Pose, rotation

    half = half_sphere(1.5, 0.8)
    other = half.expressed_in(Pose(rotation.about_z(np.pi)))
    np.testing.assert_allclose(combine(half, other).inertia, sphere(3.0, 0.8).inertia, atol=1e-15)
    thin = sphere(1.0, 1.0, inner=1 - 1e-6)
    assert float(thin.inertia[0, 0]) == pytest.approx(2 / 3, rel=1e-5)


def test_a_cube_is_a_cuboid_of_equal_edges():
    np.testing.assert_array_equal(cube(3.0, 2.0).inertia, cuboid(3.0, (2, 2, 2)).inertia)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cube(-1.0, 1.0), "cuboid: mass is -1; must be above 0"),
        (lambda: cylinder(1.0, 0.0, 1.0), "cylinder: radius is 0"),
        (
            lambda: cylinder(1.0, 0.1, 1.0, inner=0.2),
            "inner radius 0.2 m; must be at least 0 and below 0.1 m",
        ),
        (lambda: frustum(1.0, (0.1, 0.2), 1.0, inner=(0.2, 0.1)), "inner radius 0.2 m; must be in 0 to 0.1"),
        (lambda: frustum(1.0, (0.1, 0.2), 1.0, inner=(0.1, 0.2)), "volume is zero"),
        (lambda: frustum(1.0, (0.0, 0.0), 1.0), "one above 0"),
        (lambda: sphere(1.0, 0.1, inner=0.1), "sphere: inner radius"),
    ],
)
def test_impossible_shapes_are_rejected(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
