"""The numerical substructure of a six-axis test: what it shows is what the bodies do."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.bodies import FreeBodies, MassProperties
from dovetail.mechanics.bodies.free_bodies import as_motion, from_motion
from dovetail.mechanics.spatial import Pose, Twist, rotation

BODIES = FreeBodies(
    MassProperties(360.0, [50.3, 122.4, 122.4]),
    MassProperties(770.0, [374.7, 385.4, 385.4]),
    tip=(1.83, 0.0, 0.0),
    base=(-0.85, 0.0, 0.0),
    position=(0.245, 0.01, 0.075),
    attitude=(0.02, -0.13, 0.05),
    velocity=(0.1, 0.0, 0.01),
    angular_velocity=(0.01, 0.02, -0.03),
)
FORCE = jnp.array([30.0, -7.0, 4.0, 1.0, 0.5, -2.0])
GIVEN = {"excitation": jnp.zeros(()), "excitation_rate": jnp.zeros(()), "force": FORCE}


@pytest.fixture(scope="module")
def shown():
    @jax.jit
    def outputs_and_rates():
        x = BODIES.init()
        rate = BODIES.derivative(0.0, x, GIVEN)
        return jax.jvp(lambda x: BODIES.output(0.0, x, GIVEN), (x,), (rate,))

    return outputs_and_rates()


def test_free_bodies_start_at_zero_displacement_with_the_given_velocity(shown):
    now, _ = shown
    np.testing.assert_allclose(now["displacement"], 0.0, atol=1e-15)
    home = BODIES.home
    np.testing.assert_allclose(now["velocity"][:3], home.R @ BODIES.velocity, atol=1e-15)
    np.testing.assert_allclose(
        now["velocity"][3:], BODIES.angular_velocity, atol=1e-15
    )  # at zero angles rates are p, q, r


def test_velocity_and_acceleration_are_the_rates_of_displacement_and_velocity(shown):
    now, along = shown
    np.testing.assert_allclose(along["displacement"], now["velocity"], atol=1e-14)
    np.testing.assert_allclose(along["velocity"], now["acceleration"], atol=1e-14)


def test_force_times_velocity_is_the_rate_of_kinetic_energy_at_zero_angles(shown):
    now, along = shown
    power = float(FORCE @ now["velocity"])
    assert float(along["kinetic_energy"]) == pytest.approx(power, rel=1e-12)


def test_six_numbers_and_pose_with_twist_are_two_pictures_of_one_motion():
    home = Pose(rotation.exponential(jnp.array([0.3, -0.2, 2.9])), jnp.array([0.2, 0.0, 0.1]))
    motion, speed = jnp.array([0.01, 0.02, -0.03, 0.1, -0.2, 0.3]), jnp.arange(1.0, 7.0) / 10
    pose, twist = from_motion(home, motion, speed)
    back = as_motion(home, pose, twist)
    np.testing.assert_allclose(back[0], motion, atol=1e-14)
    np.testing.assert_allclose(back[1], speed, atol=1e-14)
    assert isinstance(twist, Twist)


def test_the_published_table_of_initial_states_is_reproduced():
    # Bondoky 2020, table 6.10, with the drogue's mouth in the origin
    pair = FreeBodies(
        MassProperties(360.466, [50.3001, 145.76, 145.76]),
        MassProperties(770.0, [374.729, 383.82, 383.82]),
        tip=(1.8325, 0, 0),
        base=(-0.8477, 0, 0),
        position=(0.245, 0, 0.075),
        attitude=(0, np.radians(-7.5), 0),
        velocity=(0.1, 0, 0),
    ).pair
    mouth = np.array([-0.245, 0, 0])  # of the origin of D, half a turn away
    np.testing.assert_allclose(pair.start.first.p - mouth, [-1.8168, 0, -0.1642], atol=1e-4)
    np.testing.assert_allclose(pair.start.second.p - mouth, [1.0927, 0, 0], atol=1e-4)
    np.testing.assert_allclose(pair.start.first.pose.R.T @ pair.start.first.v, [0.1, 0, 0], atol=1e-15)
