"""Axes of flight and of what is towed, and the attitude of a body that is the last link."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import attitude

KEY = jax.random.key(3)


@pytest.fixture(scope="module")
def path():
    """Places of a joint and of a body behind it as smooth functions of time, in the axes of flight."""
    a, b, w = (jax.random.uniform(k, (2,), minval=-0.8, maxval=0.8) for k in jax.random.split(KEY, 3))

    def angles(t):
        return a + b * jnp.sin(w * t + 1.0)

    def places(t):
        joint = jnp.stack([jnp.sin(t), t**2, jnp.cos(2 * t)])
        length = 1.4 + 0.3 * jnp.sin(t)
        return jnp.stack([joint, joint - length * attitude.link_rotation(angles(t))[:, 0]], axis=1)

    return angles, places


def _rates(f, t):
    first = jax.jacfwd(f)
    return jax.jit(lambda t: (f(t), first(t), jax.jacfwd(first)(t)))(t)


def test_axes_are_translated_there_and_back():
    r = jax.random.normal(jax.random.key(0), (3, 5))
    np.testing.assert_array_equal(attitude.to_flight_axes(attitude.to_towing_axes(r)), r)
    np.testing.assert_array_equal(
        attitude.to_towing_axes(jnp.array([[1.0], [2.0], [3.0]]))[:, 0], [-1.0, 3.0, 2.0]
    )


def test_the_spin_of_the_last_link_equals_its_rotation_rate(path):
    """A joint that moves, a body that turns and even stretches: from places alone."""
    angles, places = path

    def turned(t):
        return attitude.link_rotation(angles(t))

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


def test_angles_are_read_back_from_directions_and_a_direction_is_a_rotation():
    for angles in np.asarray(jax.random.uniform(KEY, (20, 2), minval=-1.4, maxval=1.4)):
        R = attitude.link_rotation(jnp.array(angles))
        np.testing.assert_allclose(attitude.tilt_angles(-R[:, 0]), angles, rtol=1e-12)
        np.testing.assert_allclose(
            attitude.to_flight_axes(attitude.link_rotation_towed(attitude.to_towing_axes(R[:, 0]))),
            R,
            atol=1e-14,
        )
