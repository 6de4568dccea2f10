import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics import collision
from dovetail.mechanics.collision import edge_axes
from dovetail.mechanics.geometry import Polygon, Prism

SQUARE = jnp.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])


separation = jax.jit(collision.separation)


@jax.jit
def axes(*shapes):
    return jnp.concatenate([Polygon(vertices=s).planes()[0] for s in shapes])


def test_two_squares_apart_and_overlapping():
    other = SQUARE + jnp.array([2.5, 0.3])
    size, direction = separation(SQUARE, other, axes(SQUARE, other))
    assert size == pytest.approx(0.5)
    np.testing.assert_allclose(direction, [1.0, 0.0])
    size, direction = separation(SQUARE, SQUARE + jnp.array([0.4, -1.9]), axes(SQUARE))
    assert size == pytest.approx(-0.1)
    np.testing.assert_allclose(direction, [0.0, -1.0], atol=1e-15)


def test_moving_by_depth_along_the_direction_just_parts_them():
    turn = jnp.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
    other = SQUARE @ turn.T + jnp.array([1.6, 1.2])
    candidates = jnp.concatenate([axes(SQUARE), axes(SQUARE) @ turn.T])
    size, direction = separation(SQUARE, other, candidates)
    assert size < 0
    again, _ = separation(SQUARE, other - size * direction, candidates)
    assert float(again) == pytest.approx(0.0, abs=1e-12)


def test_crossed_edges_in_space_need_the_axes_of_edge_pairs():
    bar = Prism(section=[[-0.1, 0.1], [0.1, 0.1], [0.1, -0.1], [-0.1, -0.1]], extent=(-2.0, 2.0))
    c = np.cos(np.pi / 4)
    roll = jnp.array([[1.0, 0, 0], [0, c, -c], [0, c, c]])
    swap = jnp.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1]])

    @jax.jit
    def both():
        one = bar.corners() @ roll.T  # along x, on its edge
        two = bar.corners() @ roll.T @ swap.T + jnp.array([0.0, 0.0, 0.3])  # along y, above it
        faces = jnp.concatenate([bar.planes()[0] @ roll.T, bar.planes()[0] @ roll.T @ swap.T])
        cross = edge_axes(jnp.eye(3)[:1], jnp.eye(3)[1:2])
        return separation(one, two, faces), separation(one, two, jnp.concatenate([faces, cross]))

    (without, _), (size, direction) = both()
    assert size == pytest.approx(0.3 - 0.2 * np.sqrt(2))
    assert size > without
    np.testing.assert_allclose(direction, [0.0, 0.0, 1.0], atol=1e-15)


def test_many_pairs_at_once_and_a_slope():
    shifts = jnp.linspace(0.5, 3.0, 6)

    def gap(s):
        return separation(SQUARE, SQUARE + jnp.array([1.0, 0.0]) * s, axes(SQUARE))[0]

    np.testing.assert_allclose(jax.jit(jax.vmap(gap))(shifts), shifts - 2)
    assert jax.jit(jax.grad(gap))(2.5) == pytest.approx(1.0)
