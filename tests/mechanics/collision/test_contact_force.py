import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.collision.contact_force import Foot, PairMemory, TouchedBody, distances, touch
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.mechanics.dimension import PLANE
from dovetail.mechanics.friction import Bristle, NoFriction
from dovetail.mechanics.geometry import Polygon

DECK = Polygon(vertices=[[-1.0, 0.0], [1.0, 0.0], [1.0, -1.0], [-1.0, -1.0]])
LAW = KelvinVoigt(stiffness=1e6, damping=1e3, tension="clamped")
TOP = jnp.array([1.0, 0.0, 0.0, 0.0])


def at(position, velocity, *, angle=0.0, r=(0.0, 0.0), v=(0.0, 0.0), w=0.0, on=TOP, friction=None):
    friction = friction or NoFriction()
    R = PLANE.rotation(jnp.array([angle]))
    foot = Foot(jnp.array(position), jnp.array(velocity), 0.01)
    body = TouchedBody(jnp.array(r), R, jnp.array(v), jnp.array([w]), *DECK.planes())
    memory = PairMemory(friction.initial_bristles(2), on, 0.0, jnp.zeros(()))
    return touch(foot, body, memory, LAW, friction, PLANE)


def test_a_node_at_rest_is_pushed_by_depth_times_stiffness_along_the_normal():
    found = at((0.3, 0.0095), (0.0, 0.0))
    np.testing.assert_allclose(found.force, [0.0, 500.0])
    tilted = PLANE.rotation(jnp.array([0.3])) @ jnp.array([0.3, 0.0095])
    np.testing.assert_allclose(
        at(tilted, (0.0, 0.0), angle=0.3).force, [-500 * np.sin(0.3), 500 * np.cos(0.3)], rtol=1e-9
    )


def test_a_body_that_moves_with_the_node_gives_no_damping_and_no_slip():
    w, p = 0.4, np.array([0.3, 0.0095])
    velocity = (2.0 - w * 0.0, 1.0 + w * 0.3)  # of the foot point on the surface
    found = at(
        p,
        velocity,
        v=(2.0, 1.0),
        w=w,
        friction=Bristle(stiffness=1e4, damping=10, mu_kinetic=0.4, mu_static=0.4),
    )
    np.testing.assert_allclose(found.slip, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.force, [0.0, 500.0], atol=1e-9)
    np.testing.assert_allclose(found.bristle_rate, 0.0, atol=1e-12)


def test_a_body_without_contact_has_no_force():
    found = at((0.3, 0.5), (1.0, -1.0), on=jnp.zeros(4))
    np.testing.assert_array_equal(found.force, 0.0)
    np.testing.assert_array_equal(found.bristle_rate, 0.0)


def test_the_touched_surface_gives_the_direction_not_the_nearest():
    found = at((0.998, 0.0095), (0.0, 0.0), on=jnp.array([0.0, 1.0, 0.0, 0.0]))  # entered through the side
    np.testing.assert_allclose(found.force, [1e6 * 0.012, 0.0], rtol=1e-9)


def test_distances_count_the_radius_of_the_tube():
    found = distances(jnp.array([0.0, 0.11]), 0.01, jnp.array([0.0, 0.1]), jnp.eye(2), *DECK.planes())
    assert float(jnp.max(found)) == pytest.approx(0.0, abs=1e-15)
