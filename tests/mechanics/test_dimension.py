import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.dimension import PLANE, SPACE, dimension
from dovetail.mechanics.spatial import euler


def lift(v):
    return jnp.concatenate([jnp.zeros(1), v])


def test_the_plane_is_space_seen_along_the_forward_axis():
    roll, w, r, f = jnp.array([0.4]), jnp.array([0.7]), jnp.array([0.3, -0.2]), jnp.array([5.0, 2.0])
    R = SPACE.rotation(euler.to_quaternion(jnp.array([0.4, 0.0, 0.0])))
    np.testing.assert_allclose(PLANE.rotation(roll), R[1:, 1:], atol=1e-15)
    spin = jnp.array([0.7, 0.0, 0.0])
    np.testing.assert_allclose(PLANE.cross(w, r), SPACE.cross(spin, lift(r))[1:])
    np.testing.assert_allclose(PLANE.moment(r, f), SPACE.moment(lift(r), lift(f))[:1])
    np.testing.assert_allclose(PLANE.lever(r)[:, 0], SPACE.lever(lift(r))[1:, 0])
    v3, w3 = PLANE.to_spatial(f, w)
    np.testing.assert_allclose(v3, lift(f))
    np.testing.assert_allclose(PLANE.from_spatial(lift(f), spin)[1], w)


def test_levers_turn_angular_velocity_into_velocity():
    w, r = jnp.array([0.1, -0.5, 0.3]), jnp.array([1.0, 2.0, -1.0])
    np.testing.assert_allclose(SPACE.lever(r) @ w, SPACE.cross(w, r))


def test_small_turns_and_changes_of_the_attitude_are_inverse():
    q = euler.to_quaternion(jnp.array([0.4, -0.3, 0.2]))
    small = jnp.array([1e-3, -2e-3, 0.5e-3])
    np.testing.assert_allclose(SPACE.small_rotation(q, SPACE.attitude_change(q, small)), small, atol=1e-15)
    np.testing.assert_allclose(PLANE.small_rotation(q, PLANE.attitude_change(q, small)), small)


def test_other_numbers_of_coordinates_are_rejected():
    with pytest.raises(ParameterError, match="got 4 coordinates"):
        dimension(4)
