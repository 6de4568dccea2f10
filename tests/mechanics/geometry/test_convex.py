import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.geometry import Polygon, Polyhedron, Prism

BOX = [[-2.0, 1.0], [2.0, 1.0], [2.0, 0.0], [-2.0, 0.0]]


def test_distances_are_negative_inside_and_count_from_the_surface():
    d = Polygon(vertices=BOX).distances(jnp.array([[0.0, 0.9], [0.0, 1.5], [3.0, 0.5]]))
    np.testing.assert_allclose(d[0], [-0.1, -2.0, -0.9, -2.0])
    assert d[1].max() == pytest.approx(0.5)
    assert d[2].max() == pytest.approx(1.0)


def test_a_prism_is_its_section_drawn_out():
    prism = Prism(section=BOX, extent=(-3.0, 4.0))
    corners = {(x, *point) for x in (-3.0, 4.0) for point in BOX}
    assert {tuple(corner) for corner in prism.corners().tolist()} == corners
    n, c = prism.planes()
    assert n.shape == (6, 3)
    inside = jnp.array([0.0, 0.5, 0.5])
    assert (n @ inside - c).max() < 0
    assert (n @ jnp.array([4.5, 0.5, 0.5]) - c).max() == pytest.approx(0.5)


def test_a_polyhedron_from_its_hull_has_the_planes_of_the_box():
    points = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)]
    found = Polyhedron.from_points(points)
    n, c = found.planes()
    assert n.shape == (6, 3)
    assert (found.distances(jnp.array([0.5, 1.0, 1.5]))).max() == pytest.approx(-0.5)
    assert found.distances(jnp.array([0.5, 1.0, 3.2])).max() == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("vertices", "text"),
    [
        (BOX[::-1], "counter-clockwise, so normals point inwards"),
        ([[0.0, 0.0], [0.0, 2.0], [0.4, 0.6], [2.0, 0.0]], "not convex at corner 3"),
        ([[0.0, 1.0], [2.0, 0.0], [2.0, 1.0], [0.0, 0.0]], "intersects itself"),
        ([[0.0, 0.0], [0.0, 1.0], [0.0, 1.0]], "corner 2 is listed twice"),
        ([[0.0, 0.0], [1.0, 1.0]], "at least three rows"),
    ],
)
def test_an_invalid_polygon_is_rejected(vertices, text):
    with pytest.raises(ParameterError, match=text):
        Polygon(vertices=vertices)


def test_a_concave_polyhedron_is_rejected():
    points = [[0.0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0], [0.2, 0.2, 2.0], [1, 1, -0.5]]
    with pytest.raises(ParameterError, match="not convex"):
        Polyhedron(vertices=points, faces=[(1, 2, 4, 3), (1, 2, 5), (2, 4, 5), (4, 3, 5), (3, 1, 5)])


def test_a_prism_without_length_is_rejected():
    with pytest.raises(ParameterError, match="no length"):
        Prism(section=BOX, extent=(1.0, 1.0))


def test_the_one_gap_is_that_of_the_nearest_plane_and_its_normal_that_planes():
    shape = Polygon(vertices=BOX)
    for point, gap, normal in (
        ([0.3, 1.4], 0.4, [0.0, 1.0]),
        ([2.5, 0.4], 0.5, [1.0, 0.0]),
        ([0.0, 0.9], -0.1, [0.0, 1.0]),
    ):
        assert float(shape.distance(jnp.array(point))) == pytest.approx(gap)
        np.testing.assert_allclose(shape.normal(jnp.array(point)), normal)
