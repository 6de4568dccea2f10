"""Bodies joined: the parallel-axis theorem, judged by sums over point masses and by closed forms."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import MassProperties, combine, cube, cuboid
from dovetail.mechanics.spatial import Pose, rotation


def test_eight_small_cubes_make_a_large_one():
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    whole = combine(*(cube(2.0, 1.0).translated_by(corner) for corner in corners))
    one = cube(16.0, 2.0)
    assert float(whole.mass) == 16.0
    np.testing.assert_allclose(whole.centre, 0.0, atol=1e-16)
    np.testing.assert_allclose(whole.inertia, one.inertia, rtol=1e-14)


def test_the_order_and_grouping_of_assembly_do_not_matter():
    a, b, c = (
        cuboid(1.0, (1, 2, 3)),
        cube(5.0, 0.3).translated_by((1, 0, 2)),
        cube(2.0, 1.0).translated_by((-1, 4, 0)),
    )
    together, pairwise = combine(a, b, c), combine(c, combine(b, a))
    np.testing.assert_allclose(together.inertia, pairwise.inertia, rtol=1e-13)
    np.testing.assert_allclose(together.centre, pairwise.centre, rtol=1e-13)


def test_many_point_like_bodies_have_the_inertia_of_the_sum_over_points():
    rng = np.random.default_rng(3)
    masses, points = rng.uniform(0.5, 2, 20), rng.normal(size=(20, 3))
    tiny = 1e-9  # inertia of each point, below what the sum shows
    whole = combine(*(MassProperties(m, np.full(3, tiny), p) for m, p in zip(masses, points, strict=True)))
    centre = masses @ points / masses.sum()
    r = points - centre
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, r, strict=True))
    np.testing.assert_allclose(whole.centre, centre, rtol=1e-13)
    np.testing.assert_allclose(whole.inertia, inertia, atol=1e-6)


def test_a_rotated_body_has_equal_principal_inertias():
    body = cuboid(3.0, (1, 2, 3)).translated_by((0.5, 0, 0))
    pose = Pose(rotation.exponential(jnp.array([0.4, -0.7, 0.2])), jnp.array([1.0, 2.0, 3.0]))
    turned = body.expressed_in(pose)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(turned.inertia), np.linalg.eigvalsh(body.inertia), rtol=1e-13
    )
    np.testing.assert_allclose(turned.centre, pose.point(body.centre), rtol=1e-14)


def test_cutting_a_part_out_undoes_joining_it():
    a, b = cuboid(4.0, (1, 2, 3)), cube(1.0, 0.5).translated_by((0.2, 0.1, 0.9))
    left = combine(a, b).subtract(b)
    np.testing.assert_allclose(left.inertia, a.inertia, atol=1e-14)
    np.testing.assert_allclose(left.centre, a.centre, atol=1e-15)


def test_the_inverse_by_cofactors_is_the_inverse():
    body = cuboid(3.0, (1, 2, 3)).expressed_in(Pose(rotation.exponential(jnp.array([0.4, -0.7, 0.2]))))
    np.testing.assert_allclose(body.inverse_inertia @ body.inertia, np.eye(3), atol=1e-14)


def test_the_mass_matrix_holds_mass_and_inertia():
    matrix = cuboid(3.0, (1, 2, 3)).matrix
    np.testing.assert_allclose(matrix[:3, :3], 3.0 * np.eye(3))
    np.testing.assert_allclose(matrix[3:, 3:], cuboid(3.0, (1, 2, 3)).inertia)
    assert not np.any(matrix[:3, 3:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0, [1.0, 1.0, 1.0]), "mass: got -1; must be above 0 kg"),
        ((0.0, [1.0, 1.0, 1.0]), "mass: got 0; must be above 0 kg"),
        ((1.0, [1.0, -1.0, 1.0]), "must be above 0"),
        ((1.0, [[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        ((1.0, [1.0, 2.0]), "one number, three or a 3 x 3 matrix"),
    ],
)
def test_impossible_bodies_are_rejected(arguments, message):
    with pytest.raises(ParameterError, match=message):
        MassProperties(*arguments)


def test_an_empty_list_of_bodies_is_rejected():
    with pytest.raises(ParameterError, match="at least one body"):
        combine()
