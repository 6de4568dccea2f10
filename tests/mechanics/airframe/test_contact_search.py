import equinox as eqx
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.airframe.contact_search import contact_points, distances, guards, jump
from dovetail.mechanics.friction import Bristle
from dovetail.mechanics.geometry import Polygon
from dovetail.mechanics.motion import FixedFrame, TableMotion
from dovetail.mechanics.securing import Platform


def test_an_anchor_rides_with_the_body_it_is_on(make):
    deck = TableMotion(times=[0.0, 1.0], values=[[0.0, 0.1, 0.0], [0.5, 0.3, 0.2]], interpolation="linear")
    friction = Bristle(stiffness=3e3, mu_kinetic=0.4, mu_static=0.9)
    aircraft = make(2, initial_pose=[0.0, 0.8, 0.0], deck=deck, friction=friction)
    x = aircraft.init() | {"bristle": jnp.full((2, 1, 2), 1e-3)}

    @eqx.filter_jit
    def local(t):
        feet = aircraft.node_positions(x)[jnp.array(aircraft.feet)]
        turned = aircraft.dim.rotation(jnp.array([0.2 * t]))
        return turned.T @ (contact_points(aircraft, t, x)[0, 0] - feet[0])

    for t in (0.0, 1.0):
        np.testing.assert_allclose(local(jnp.asarray(t)), 1e-3)


def test_a_first_touch_is_timed_and_changes_the_touched_surface(make):
    aircraft = make(2, initial_pose=[0.0, 0.55 - 1e-5, 0.0])
    x = aircraft.init()
    lifted = x | {"touch": 0 * x["touch"], "inside": 0 * x["inside"]}
    np.testing.assert_allclose(eqx.filter_jit(guards)(aircraft, jnp.asarray(0.0), lifted), -1e-5, rtol=1e-6)
    after = eqx.filter_jit(jump)(aircraft, jnp.asarray(0.7), lifted)
    assert float(after["event_time"]) == 0.7
    assert np.asarray(after["touch"]).any(-1).all()
    assert eqx.filter_eval_shape(distances, aircraft, 0.7, after).shape == (2, 1, 4)


def test_a_foot_in_a_corner_is_pushed_by_both_bodies_at_once(make):
    rng = np.random.default_rng(2)
    touches = eqx.filter_jit(lambda aircraft: aircraft.touches(0.0, aircraft.init()))
    for down, aside in rng.uniform(1e-5, 5e-4, (5, 2)):
        face = 0.35 + 0.01 - aside  # the tube of the right foot reaches that far into the wall
        wall = Polygon(vertices=[[face, 1.0], [face + 1, 1.0], [face + 1, -1.0], [face, -1.0]])
        deck = Polygon(vertices=[[-5.0, 0.1], [5.0, 0.1], [5.0, -2.0], [-5.0, -2.0]])
        still = FixedFrame(mean_pose=[0.0, 0.0, 0.0])
        bodies = tuple(Platform(name=n, body=b, motion=still) for n, b in (("deck", deck), ("wall", wall)))
        aircraft = make(2, platforms=bodies, initial_pose=[0.0, 0.55 - down, 0.0])
        touch = touches(aircraft)
        np.testing.assert_allclose(touch.force[1, 0], [0.0, 1e6 * down], atol=1e-6)
        np.testing.assert_allclose(touch.force[1, 1], [-1e6 * aside, 0.0], atol=1e-6)
        np.testing.assert_allclose(touch.force[0, 1], 0.0)  # the other foot is far from the wall
