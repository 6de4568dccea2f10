"""Twists and wrenches move from point to point without changing power; observers may turn."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.spatial import Pose, Twist, Wrench, relative_twist, rotation

V, W = jnp.array([0.3, -0.2, 0.5]), jnp.array([0.7, 0.1, -0.4])
F, TAU, ARM = jnp.array([10.0, -4.0, 2.0]), jnp.array([0.5, 1.5, -2.5]), jnp.array([1.2, -0.3, 0.8])


def test_power_is_equal_at_every_point_and_in_every_frame():
    twist, wrench = Twist(V, W), Wrench(F, TAU)
    power = float(wrench.power(twist))
    assert float(wrench.shift(ARM).power(twist.shift(ARM))) == pytest.approx(power, rel=1e-14)
    R = rotation.exponential(jnp.array([0.4, 0.9, -0.2]))
    assert float(wrench.reexpress(R).power(twist.reexpress(R))) == pytest.approx(power, rel=1e-14)


def test_a_transformation_and_its_inverse_cancel():
    for thing in (Twist(V, W), Wrench(F, TAU)):
        back = thing.shift(ARM).shift(-ARM)
        for a, b in zip(vars(back).values(), vars(thing).values(), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-15)


def test_the_moment_of_a_force_is_arm_cross_force():
    about_origin = Wrench(F, jnp.zeros(3)).shift(-ARM)  # acts at ARM, read about the origin
    np.testing.assert_allclose(about_origin.tau, np.cross(ARM, F), atol=1e-14)


def test_wrenches_add_and_reactions_are_opposite():
    total = Wrench(F, TAU) + -Wrench(F, TAU)
    assert not np.any(total.f)
    assert not np.any(total.tau)


def test_a_body_at_rest_on_a_turning_carrier_does_not_slide():
    carrier = Twist(V, W)
    riding = carrier.shift(ARM)
    seen = relative_twist(riding, carrier, ARM)
    np.testing.assert_allclose(seen.v, 0.0, atol=1e-15)
    np.testing.assert_allclose(seen.w, 0.0, atol=1e-15)


def test_the_relative_velocity_is_the_rate_of_the_relative_position():
    h = 1e-5  # central difference: error h^2/6 times third derivatives of order one

    def relative_position(t):
        carrier = Pose(rotation.exponential(t * W), t * V)
        return carrier.inverse().point(ARM + t * jnp.array([0.9, 0.4, -0.6]))

    rate = (relative_position(h) - relative_position(-h)) / (2 * h)
    seen = relative_twist(Twist(jnp.array([0.9, 0.4, -0.6]), jnp.zeros(3)), Twist(V, W), ARM)
    np.testing.assert_allclose(seen.v, rate, atol=1e-9)
