"""Attitude of a body that is the last link of a chain."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.mechanics.chain import attitude

KEY = jax.random.key(3)


def up_the_link(angles):
    y, z = angles
    return jnp.stack([jnp.cos(y) * jnp.cos(z), jnp.sin(z), -jnp.sin(y) * jnp.cos(z)])


@pytest.fixture(scope="module")
def path():
    """Places of a joint and of a body behind it as smooth functions of time."""
    a, b, w = (jax.random.uniform(k, (2,), minval=-0.8, maxval=0.8) for k in jax.random.split(KEY, 3))

    def angles(t):
        return a + b * jnp.sin(w * t + 1.0)

    def places(t):
        joint = jnp.stack([jnp.sin(t), t**2, jnp.cos(2 * t)])
        length = 1.4 + 0.3 * jnp.sin(t)
        return jnp.stack([joint, joint - length * up_the_link(angles(t))], axis=1)

    return angles, places


def _rates(f, t):
    first = jax.jacfwd(f)
    return jax.jit(lambda t: (f(t), first(t), jax.jacfwd(first)(t)))(t)


def test_the_spin_of_the_last_link_equals_its_rotation_rate(path):
    """A joint that moves, a body that turns and even stretches: from places alone."""
    angles, places = path

    def turned(t):
        return attitude.link_rotation(up_the_link(angles(t)))

    def spin(t):
        R = turned(t)
        W = R.T @ jax.jacfwd(turned)(t)
        return jnp.stack([W[2, 1], W[0, 2], W[1, 0]])

    frame, tilt = jax.jit(attitude.last_link_frame)(*_rates(places, jnp.asarray(0.3)))
    wanted, wanted_rate = jax.jit(lambda t: (spin(t), jax.jacfwd(spin)(t)))(0.3)
    R = frame.pose.R
    np.testing.assert_allclose(tilt, angles(0.3), atol=1e-14)
    np.testing.assert_allclose(R, turned(0.3), atol=1e-14)
    np.testing.assert_allclose(R.T @ frame.twist.w, wanted, atol=1e-13)  # in its own axes
    np.testing.assert_allclose(R.T @ frame.rate.w, wanted_rate, atol=1e-12)


def test_angles_are_read_back_from_directions_and_a_direction_is_a_rotation_about_y_then_z():
    for y, z in np.asarray(jax.random.uniform(KEY, (20, 2), minval=-1.4, maxval=1.4)):
        n = up_the_link((y, z))
        np.testing.assert_allclose(attitude.tilt_angles(n), [y, z], rtol=1e-12)
        expected = Rotation.from_euler("YZ", [y, z]).as_matrix()
        np.testing.assert_allclose(attitude.link_rotation(n), expected, atol=1e-14)


def test_a_body_below_its_joint_has_its_nose_up():
    below = jnp.array([np.cos(0.2), 0.0, np.sin(0.2)])  # the joint is ahead and above
    np.testing.assert_allclose(attitude.tilt_angles(below), [-0.2, 0.0], atol=1e-15)
