"""Two bodies: action and reaction, relative motion, and the initial states that a wanted meeting needs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.bodies import BodyPair, MassProperties
from dovetail.mechanics.spatial import Pose, Twist, Wrench, rotation

CHASER, TARGET = MassProperties(360.0, [50.3, 122.4, 122.4]), MassProperties(770.0, [374.7, 385.4, 385.4])
TIP, BASE = Pose(p=jnp.array([1.83, 0.05, 0.0])), Pose(rotation.about_z(np.pi), jnp.array([-0.85, 0.0, 0.1]))
MEET = Pose(rotation.exponential(jnp.array([0.1, 3.0, 0.2])), jnp.array([0.24, 0.02, 0.05]))
SPEED = Twist(jnp.array([-0.1, 0.02, 0.01]), jnp.array([0.02, -0.01, 0.03]))
PLACE = Pose(rotation.exponential(jnp.array([0.2, -0.1, 0.4])), jnp.array([0.5, 1.0, -0.3]))
TURNING = Twist(jnp.array([0.05, 0.0, 0.02]), jnp.array([0.03, 0.06, -0.04]))
PAIR = BodyPair.from_interface_motion(
    CHASER, TARGET, TIP, BASE, X_WD=PLACE, X_DP=MEET, V_DP=SPEED, V_WT=TURNING
)
LOAD = Wrench(jnp.array([30.0, -7.0, 4.0]), jnp.array([1.0, 0.5, -2.0]))


def test_the_bodies_meet_as_prescribed_even_if_the_second_rotates():
    pose, twist = PAIR.relative(PAIR.start)
    np.testing.assert_allclose(pose.matrix, MEET.matrix, atol=1e-14)
    np.testing.assert_allclose(twist.v, SPEED.v, atol=1e-14)
    np.testing.assert_allclose(twist.w, SPEED.w, atol=1e-14)


def test_the_relative_velocity_is_the_rate_of_the_relative_position():
    rate = PAIR.derivative(0.0, PAIR.start, LOAD)
    (pose, twist), (along, _) = jax.jvp(PAIR.relative, (PAIR.start,), (rate,))
    np.testing.assert_allclose(along.p, twist.v, atol=1e-14)
    turn = rotation.unskew(along.R @ pose.R.T)  # the angular velocity in D
    np.testing.assert_allclose(turn, twist.w, atol=1e-14)


def test_forces_on_both_bodies_are_opposite():
    rate = PAIR.derivative(0.0, PAIR.start, LOAD)
    for quantity in (PAIR.momentum, PAIR.angular_momentum):
        value, along = jax.jvp(quantity, (PAIR.start,), (rate,))
        assert float(jnp.max(jnp.abs(along))) < 1e-13 * 100, quantity.__name__
        assert float(jnp.max(jnp.abs(value))) > 1.0


def test_the_power_of_the_load_is_that_at_the_interface():
    """What the interface takes from the bodies is force times relative velocity of the point it acts at."""
    rate = PAIR.derivative(0.0, PAIR.start, LOAD)
    _, gained = jax.jvp(PAIR.kinetic_energy, (PAIR.start,), (rate,))
    pose, twist = PAIR.relative(PAIR.start)
    at_tip = LOAD.shift(pose.p)
    assert float(gained) == pytest.approx(float(at_tip.power(twist)), rel=1e-12)
