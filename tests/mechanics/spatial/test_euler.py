"""Euler angles 3-2-1, written out as in the literature and judged by scipy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from dovetail.mechanics.spatial import euler, quaternion, rotation

laws = settings(max_examples=15, deadline=None, derandomize=True)

angles = st.tuples(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1)).map(np.array)


@laws
@given(angles)
def test_the_matrix_is_yaw_then_pitch_then_roll(a):
    turns = rotation.about_z(a[2]) @ rotation.about_y(a[1]) @ rotation.about_x(a[0])
    np.testing.assert_allclose(euler.to_matrix(a), turns, atol=1e-14)


@laws
@given(angles)
def test_the_matrix_is_scipys(a):
    judged = Rotation.from_euler("ZYX", a[::-1]).as_matrix()
    np.testing.assert_allclose(euler.to_matrix(a), judged, atol=1e-14)


@laws
@given(angles)
def test_angles_are_recovered_from_the_rotation(a):
    # digits are lost near the lock as 1/cos(pitch), 14 at 1.5 rad
    np.testing.assert_allclose(euler.from_matrix(euler.to_matrix(a)), a, atol=1e-12)
    np.testing.assert_allclose(euler.from_matrix(quaternion.to_matrix(euler.to_quaternion(a))), a, atol=1e-12)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_at_gimbal_lock_the_rotation_is_recovered_with_zero_roll(pitch):
    R = euler.to_matrix(jnp.array([0.4, pitch, 1.1]))
    read = euler.from_matrix(R)
    assert float(read[0]) == 0.0
    np.testing.assert_allclose(euler.to_matrix(read), R, atol=1e-9)  # cos(pi/2) is 6e-17, not 0


@laws
@given(angles)
def test_rates_and_angular_velocity_are_inverse(a):
    w_B = jnp.array([0.3, -0.5, 0.2])
    back = euler.angular_velocity(a, euler.rates(jnp.asarray(a), w_B))
    np.testing.assert_allclose(back, w_B, atol=1e-12)


def test_the_angular_velocity_is_that_of_the_turning_matrix():
    a, rate = jnp.array([0.4, -0.3, 1.1]), jnp.array([0.2, 0.5, -0.7])
    R, dR = jax.jvp(euler.to_matrix, (a,), (rate,))
    np.testing.assert_allclose(rotation.unskew(R.T @ dR), euler.angular_velocity(a, rate), atol=1e-14)


def test_quaternion_and_matrix_agree():
    a = jnp.array([0.4, -0.3, 1.1])
    np.testing.assert_allclose(quaternion.to_matrix(euler.to_quaternion(a)), euler.to_matrix(a), atol=1e-14)
