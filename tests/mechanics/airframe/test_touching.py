import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.airframe.touching import contact_points, distances, guards, settled
from dovetail.mechanics.collision import BristleSlider
from dovetail.mechanics.securing import TableMotion


def test_an_anchor_rides_with_the_body_it_is_on(make):
    deck = TableMotion(times=[0.0, 1.0], values=[[0.0, 0.1, 0.0], [0.5, 0.3, 0.2]], interpolation="linear")
    friction = BristleSlider(stiffness=3e3, sliding=0.4, stiction=0.9)
    aircraft = make(2, start=[0.0, 0.8, 0.0], deck=deck, friction=friction)
    x = aircraft.init() | {"bristle": jnp.full((2, 1, 2), 1e-3)}
    for t in (0.0, 1.0):
        feet = aircraft.node_positions(x)[jnp.array(aircraft.feet)]
        local = aircraft.dim.rotation(jnp.array([0.2 * t])).T @ (
            contact_points(aircraft, t, x)[0, 0] - feet[0]
        )
        np.testing.assert_allclose(local, 1e-3)


def test_a_first_touch_is_timed_and_turns_its_guard(make):
    aircraft = make(2, start=[0.0, 0.55 - 1e-5, 0.0])
    x = aircraft.init()
    lifted = x | {"held": x["held"] | {"touch": 0 * x["held"]["touch"], "inside": 0 * x["held"]["inside"]}}
    assert np.all(np.asarray(guards(aircraft, 0.0, lifted)) < 0)
    after = settled(aircraft, 0.7, lifted)
    assert float(after["held"]["event_time"]) == 0.7
    assert np.all(np.asarray(guards(aircraft, 0.7, after)) > 0)
    assert np.asarray(distances(aircraft, 0.7, after)).shape == (2, 1, 4)
