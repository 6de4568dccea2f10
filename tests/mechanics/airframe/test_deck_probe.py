import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.airframe import ProbeAndGrid
from dovetail.mechanics.bodies import BodyMotion
from dovetail.mechanics.contact import HuntCrossley, HystereticSpring
from dovetail.mechanics.motion import FixedFrame, TableMotion
from dovetail.mechanics.spatial.rotation import about_x

LEVEL = FixedFrame(mean_pose=[0.0, 0.0, 0.0])


def motion(port=0.0, up=0.53, roll=0.0, v=(0.0, 0.0, 0.0)):
    place = jnp.array([0.0, port, up])
    return BodyMotion(about_x(roll), place, about_x(roll).T @ jnp.array(v), jnp.zeros(3), jnp.zeros(3))


def test_it_pulls_down_with_its_tension_and_back_to_its_hole():
    probe = ProbeAndGrid(deck=LEVEL, tip=(0.0, 0.0, -0.4), height=0.13, tension=300.0)
    np.testing.assert_allclose(probe.force(5.0, motion()), [0.0, 0.0, -300.0], atol=1e-9)
    aside = probe.force(5.0, motion(port=0.02))
    np.testing.assert_allclose(aside, [0.0, -400.0, -300.0], atol=1e-9)
    force, moment = probe.act(5.0, motion(port=0.02))
    assert float(moment[0]) == pytest.approx(
        float(-probe.tip[2] * force[1])
    )  # it holds below the centre: it rolls


def test_the_probe_grips_and_releases_at_its_times_and_a_miss_grips_nothing():
    probe = ProbeAndGrid(deck=LEVEL, engage_time=1.0, release_time=9.0, closing_time=0.2)
    assert float(probe.engagement(0.9)) == 0.0
    assert 0.0 < float(probe.engagement(1.1)) < 1.0
    assert float(probe.engagement(5.0)) == 1.0
    assert float(probe.engagement(9.1)) == 0.0
    np.testing.assert_array_equal(probe.force(5.0, motion(port=0.2)), 0.0)


def test_either_side_of_the_hole_presses_back_by_the_law():
    law = HystereticSpring(2e4, loss_fraction=0.5)
    probe = ProbeAndGrid(deck=LEVEL, law=law)
    for side in (1.0, -1.0):
        for pace in (0.4, -0.4):
            force = probe.force(5.0, motion(port=0.02 * side, v=(0.0, pace * side, 0.0)))
            assert float(force[1]) == pytest.approx(-side * float(law.push(0.02, pace, 1.0)))


def test_a_law_that_needs_the_impact_speed_is_rejected():
    with pytest.raises(ParameterError, match="HuntCrossley needs the impact speed"):
        ProbeAndGrid(deck=LEVEL, law=HuntCrossley(2e4))


def test_uniform_ship_motion_causes_no_load_on_objects_at_rest_on_deck():
    deck = TableMotion(times=[0.0, 10.0], values=[[0.0, 0.0, 0.0], [3.0, 1.0, 0.0]], interpolation="linear")
    probe = ProbeAndGrid(deck=deck, tip=(0.0, 0.0, -0.4), height=0.13)
    moving = motion(port=1.5, up=1.03, v=(0.0, 0.3, 0.1))
    np.testing.assert_allclose(jax.jit(lambda m: probe.force(5.0, m))(moving), [0.0, 0.0, -300.0], atol=1e-9)
    assert probe.valid_until == 10.0
