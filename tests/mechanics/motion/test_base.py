"""A point of the deck moves as a point of a rigid body, whatever the motion."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion
from dovetail.sea import RecordedDeck

DECK = HarmonicMotion(
    amplitude=[[1.0, 0.5, 2.0, 0.3, 0.1, 0.05], [0.2, 0.1, 0.3, 0.1, 0.05, 0.02]],
    omega=[0.6, 1.7],
    phase=[[0.0, 0.3, 1.0, 2.0, 0.5, 1.5], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
)
R = jnp.array([-45.0, 3.0, 6.0])  # [m] a landing spot


@pytest.fixture(scope="module")
def moving():
    return jax.jit(lambda t: (DECK.point(t, R), DECK.state(t), DECK.specific_force(t, R)))


def test_velocity_and_acceleration_of_a_point_are_those_of_a_rigid_body(moving):
    for t in (0.0, 3.1, 17.0):
        point, ship, _ = moving(t)
        r = ship.pose.R @ R
        v = ship.twist.v + jnp.cross(ship.twist.w, r)
        a = ship.rate.v + jnp.cross(ship.rate.w, r) + jnp.cross(ship.twist.w, jnp.cross(ship.twist.w, r))
        np.testing.assert_allclose(point.position, ship.pose.point(R), atol=1e-12)
        np.testing.assert_allclose(point.velocity, v, atol=1e-9)
        np.testing.assert_allclose(point.acceleration, a, atol=1e-9)


def test_derivatives_agree_with_differences(moving):
    t, h = 5.0, 1e-4
    before, now, after = (moving(s)[0] for s in (t - h, t, t + h))
    np.testing.assert_allclose(now.velocity, (after.position - before.position) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(now.acceleration, (after.velocity - before.velocity) / (2 * h), atol=1e-6)


def test_an_accelerometer_feels_gravity_up_and_a_rolled_deck_feels_it_sideways(moving):
    felt = eqx.filter_jit(lambda deck: deck.specific_force(0.0, R))
    still = HarmonicMotion(amplitude=np.zeros(6), omega=1.0)
    np.testing.assert_allclose(felt(still), [0.0, 0.0, 9.81], atol=1e-12)
    rolled = HarmonicMotion(amplitude=[0, 0, 0, 0.2, 0, 0], omega=0.0, phase=np.pi / 2)
    # port up: the deck pushes to port, uphill
    np.testing.assert_allclose(felt(rolled), [0.0, 9.81 * np.sin(0.2), 9.81 * np.cos(0.2)], atol=1e-12)


def test_motion_is_converted_between_plane_and_space():
    np.testing.assert_array_equal(DECK.planar_pose(2.0), DECK.spatial_pose(2.0)[1:4])
    flat = HarmonicMotion(amplitude=[0.3, 0.5, 0.2], omega=0.7)
    np.testing.assert_array_equal(flat.planar_pose(2.0), flat.pose(2.0))
    np.testing.assert_array_equal(flat.spatial_pose(2.0), [0.0, *flat.pose(2.0), 0.0, 0.0])


def test_a_support_that_moves_accelerates_as_its_origin_does(moving):
    _, ship, _ = moving(3.1)
    np.testing.assert_allclose(DECK.acceleration(3.1), ship.rate.v, atol=1e-12)
    np.testing.assert_array_equal(FixedFrame().acceleration(3.1), 0.0)


def test_a_record_that_ends_before_the_run_is_rejected():
    record = RecordedDeck(times=np.arange(5.0), values=np.zeros((5, 6)))
    record.check_covers(4.0)
    with pytest.raises(ParameterError, match="ends at 4 s"):
        record.check_covers(10.0)
    DECK.check_covers(1e9)
