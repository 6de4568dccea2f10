import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.collision.touched_surface import gap, initial_surfaces, nearest, update_surfaces
from dovetail.mechanics.geometry import Polygon

BOX = Polygon(vertices=[[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])  # top, right, bottom, left


def walk(*points):
    """Touched surface after each of several points."""
    inside, touch = initial_surfaces(BOX.distances(jnp.array(points[0])))
    found = []
    for point in points[1:]:
        inside, touch = update_surfaces(BOX.distances(jnp.array(point)), inside, touch)
        found.append(int(jnp.argmax(touch)) if touch.sum() else None)
    return found


@pytest.mark.parametrize(
    ("path", "surface"),
    [
        ([(0.0, 1.2), (0.0, 0.5)], 0),
        ([(1.4, 0.0), (0.2, 0.0)], 1),
        ([(0.0, -1.2), (0.1, -0.1)], 2),
        ([(-1.4, 0.3), (-0.3, 0.9)], 3),  # nearer to the top, but it came from the left
        ([(1.2, 1.2), (0.9, 1.1), (0.5, 0.9)], 0),  # round the corner: the top was crossed last
        ([(1.2, 1.2), (1.1, 0.9), (0.9, 0.5)], 1),
    ],
)
def test_the_surface_crossed_last_is_the_one_that_is_touched(path, surface):
    assert walk(*path)[-1] == surface


def test_a_touched_surface_is_kept_until_the_node_is_outside():
    assert walk((0.0, 1.2), (0.0, 0.9), (0.9, 0.5), (0.99, 0.0), (1.1, 0.0)) == [0, 0, 0, None]


def test_of_two_planes_crossed_in_one_step_the_one_with_less_penetration_is_used():
    assert walk((1.2, 1.2), (0.5, 0.9)) == [0]


def test_a_start_inside_touches_the_nearest_plane():
    inside, touch = initial_surfaces(BOX.distances(jnp.array([0.8, 0.1])))
    np.testing.assert_array_equal(touch, [0.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(inside, 1.0)


def test_touched_surfaces_change_only_on_update():
    inside, touch = initial_surfaces(BOX.distances(jnp.array([0.0, 1.2])))
    trial = update_surfaces(
        BOX.distances(jnp.array([0.0, 0.5])), inside, touch
    )  # a step that is then rejected
    after = update_surfaces(BOX.distances(jnp.array([0.0, 1.1])), inside, touch)
    assert trial[1].sum() == 1
    assert after[1].sum() == 0


def test_the_gap_is_zero_only_at_the_boundary_and_smooth_beside_it():
    assert float(gap(BOX.distances(jnp.array([0.3, 1.0])))) == 0.0
    assert float(gap(BOX.distances(jnp.array([3.0, 1.0])))) == pytest.approx(
        2.0
    )  # on the line of the top, outside
    slope = jax.grad(lambda p: gap(BOX.distances(p)))(jnp.array([0.3, 1.2]))
    np.testing.assert_allclose(slope, [0.0, 1.0])


def test_without_memory_the_nearest_plane_is_used():
    np.testing.assert_array_equal(nearest(BOX.distances(jnp.array([-0.3, 0.9]))), [1.0, 0.0, 0.0, 0.0])
    assert nearest(BOX.distances(jnp.array([-0.3, 1.9]))).sum() == 0
