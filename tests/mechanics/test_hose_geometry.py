import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics import hose_geometry as geometry

KEY = jax.random.key(3)


@pytest.fixture(scope="module")
def path():
    """Angles and lengths of five links as smooth functions of time."""
    a, b, w = (jax.random.uniform(k, (2, 5), minval=-0.8, maxval=0.8) for k in jax.random.split(KEY, 3))

    def angles(t):
        return a + b * jnp.sin(w * t + 1.0)

    def lengths(t):
        return 1.4 + 0.3 * jnp.sin(t + jnp.arange(5.0))

    return angles, lengths


def _rates(f, t):
    first = jax.jacfwd(f)
    return jax.jit(lambda t: (f(t), first(t), jax.jacfwd(first)(t)))(t)


def test_tangents_are_orthogonal_and_as_long_as_the_link():
    angles = jax.random.uniform(KEY, (2, 50), minval=-1.4, maxval=1.4)
    e_y, e_z = geometry.tangents(angles, 2.0)
    np.testing.assert_allclose(np.sum(e_y * e_z, axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(e_y, axis=0), 2.0 * np.abs(np.cos(angles[1])), rtol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(e_z, axis=0), 2.0, rtol=1e-13)


def test_angle_accelerations_invert_the_second_derivative_of_the_link(path):
    angles, lengths = path
    t = jnp.asarray(0.7)
    p = _rates(lambda t: -lengths(t) * geometry.direction(angles(t)), t)
    q, l = _rates(angles, t), _rates(lengths, t)
    found = geometry.angle_accelerations(p[2], q[0], q[1], l[0], l[1])
    np.testing.assert_allclose(found, q[2], rtol=1e-11, atol=1e-11)  # rounding
    np.testing.assert_allclose(geometry.link_velocity(q[0], q[1], l[0], l[1]), p[1], rtol=1e-12, atol=1e-13)


def test_the_second_derivative_along_a_link_obeys_the_constraint(path):
    angles, lengths = path
    t = jnp.asarray(-0.4)
    p = _rates(lambda t: -lengths(t) * geometry.direction(angles(t)), t)
    q, l = _rates(angles, t), _rates(lengths, t)
    n, turn = geometry.direction(q[0]), geometry.turn_rate(q[0], q[1])
    np.testing.assert_allclose(
        np.sum(p[2] * n, axis=0), l[0] * np.sum(turn**2, axis=0) - l[2], rtol=1e-12, atol=1e-12
    )


def test_spin_is_the_rotation_s_own(path):
    angles, _ = path

    def turned(t):
        return geometry.rotation(angles(t)[:, 2])

    def spin(t):
        R = turned(t)
        W = R.T @ jax.jacfwd(turned)(t)
        return jnp.stack([W[2, 1], W[0, 2], W[1, 0]])

    q = _rates(lambda t: angles(t)[:, 2], jnp.asarray(0.3))
    w, w_rate = geometry.spin(*q)
    wanted, wanted_rate = jax.jit(lambda t: (spin(t), jax.jacfwd(spin)(t)))(0.3)
    np.testing.assert_allclose(w, wanted, atol=1e-14)
    np.testing.assert_allclose(w_rate, wanted_rate, atol=1e-13)
    np.testing.assert_allclose(geometry.rotation(q[0])[:, 0], geometry.direction(q[0]), atol=1e-15)


def test_angles_are_read_back_from_directions():
    angles = jax.random.uniform(KEY, (2, 20), minval=-1.4, maxval=1.4)
    np.testing.assert_allclose(geometry.angles_of(geometry.direction(angles)), angles, rtol=1e-12)
