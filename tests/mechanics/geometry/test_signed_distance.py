"""Shapes by signed distance: judged by sampling their surfaces; normals by automatic differentiation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.geometry import Ball, Box, Capsule, Cone, Hollow, SolidCavity, Union

BALL = Ball(0.5, (1.0, 0.0, 0.0))
BOX = Box((0.3, 0.5, 0.2))
CAPSULE = Capsule((0.0, 0.0, 0.0), (1.0, 0.5, -0.5), 0.2)
CONE = Cone(0.3, 0.8, 1.0)
SHAPES = {"ball": BALL, "box": BOX, "capsule": CAPSULE, "cone": CONE}


def somewhere(count=400, seed=0, size=1.5):
    return jnp.asarray(np.random.default_rng(seed).uniform(-size, size, (count, 3)))


@pytest.mark.parametrize("name", SHAPES)
def test_a_step_along_the_normal_by_the_distance_ends_on_the_surface(name):
    shape = SHAPES[name]
    points = somewhere()
    distance = jax.jit(jax.vmap(shape.distance))(points)
    outside = np.asarray(distance) > 1e-3
    feet = points - distance[:, None] * jax.jit(jax.vmap(shape.normal))(points)
    np.testing.assert_allclose(np.asarray(jax.jit(jax.vmap(shape.distance))(feet))[outside], 0.0, atol=1e-9)


@pytest.mark.parametrize("name", SHAPES)
def test_the_distance_function_has_lipschitz_constant_one(name):
    shape = SHAPES[name]
    a, b = somewhere(seed=1), somewhere(seed=2)
    distance = jax.jit(jax.vmap(shape.distance))
    change = jnp.abs(distance(a) - distance(b))
    assert np.all(np.asarray(change) <= np.linalg.norm(a - b, axis=1) + 1e-12)


@pytest.mark.parametrize(
    ("shape", "point", "distance"),
    [
        (BALL, (2.0, 0, 0), 0.5),
        (BALL, (1.0, 0, 0), -0.5),
        (BOX, (0.3 + 0.3, 0.5 + 0.4, 0.0), 0.5),
        (BOX, (0.0, 0.0, 0.15), -0.05),
        (CAPSULE, (-0.3, 0, 0), 0.1),
        (CONE, (-0.2, 0.0, 0.1), 0.2),
        (CONE, (1.5, 0.0, 0.0), 0.5),
        (CONE, (0.5, 0.0, 0.55), 0.0),  # on the slanted side
        (CONE, (0.05, 0.0, 0.0), -0.05),  # nearest to the end disc from within
    ],
)
def test_distances_equal_the_closed_form(shape, point, distance):
    assert float(shape.distance(jnp.array(point))) == pytest.approx(distance, abs=1e-12)


def test_a_union_is_as_near_as_its_nearest_part_and_hollow_turns_it_inside_out():
    both = Union((BALL, BOX))
    for p in somewhere(20):
        nearest = min(float(BALL.distance(p)), float(BOX.distance(p)))
        assert float(both.distance(p)) == pytest.approx(nearest)
        assert float(Hollow(both).distance(p)) == pytest.approx(-nearest)


def test_the_normal_of_a_ball_is_radial():
    p = jnp.array([1.3, 0.4, -0.2])
    radial = (p - BALL.centre) / jnp.linalg.norm(p - BALL.centre)
    np.testing.assert_allclose(BALL.normal(p), radial, atol=1e-14)


def test_a_shape_serves_as_cavity():
    cavity = SolidCavity(Hollow(Capsule((0.0, 0, 0), (1.0, 0, 0), 0.1)), 0.5)
    seen = cavity.touch(jnp.array([0.4, 0.0, 0.08]), 0.03)
    assert float(seen.depth) == pytest.approx(0.01)
    np.testing.assert_allclose(seen.normal, [0, 0, -1], atol=1e-12)
    np.testing.assert_allclose(seen.on_surface, [0.4, 0, 0.1], atol=1e-12)
    assert float(cavity.mouth) == 0.5
