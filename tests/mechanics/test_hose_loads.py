import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics import hose_loads as loads

ANGLES = jax.random.uniform(jax.random.key(1), (2, 4), minval=-0.5, maxval=0.5)
N = geometry.direction(ANGLES)
L = jnp.array([1.4, 1.3, 1.2, 0.3])
AIR = {"density": 0.525, "diameter": 0.071, "tangential": 0.01, "normal": 0.6}


def test_drag_vanishes_in_still_air_opposes_motion_and_is_quadratic():
    wind = jax.random.normal(jax.random.key(2), (3, 4)) * 50
    drag = loads.link_drag(N, L, wind, **AIR)
    assert np.all(np.sum(drag * wind, axis=0) < 0)
    np.testing.assert_allclose(loads.link_drag(N, L, 2 * wind, **AIR), 4 * drag, rtol=1e-9)
    np.testing.assert_allclose(loads.link_drag(N, L, 0 * wind, **AIR), 0.0, atol=1e-12)


def test_drag_of_an_aligned_hose_is_that_of_its_wetted_surface():
    wind = 200.0 * jnp.stack([N[:, 0]], axis=1)
    drag = loads.link_drag(N[:, :1], jnp.array([27.0]), wind, **AIR)
    np.testing.assert_allclose(-N[:, 0] @ drag[:, 0], 632.36, rtol=1e-5)  # the digits that are given


def test_moments_act_as_couples_of_the_wanted_size():
    moment = jnp.array([7.0, 30.0, -20.0])
    force = loads.couple(moment, 0.3)
    np.testing.assert_allclose(np.cross([-0.3, 0, 0], force), [0, 30.0, -20.0], atol=1e-13)


def test_bending_straightens_and_leaves_no_moment_about_the_ends():
    n = geometry.direction(jnp.array([[0.3, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    l = jnp.array([1.0, 1.0, 0.3])
    pair = loads.bending(n, l, 15.0)
    np.testing.assert_allclose(pair[:, -1], 0.0)  # none at the drogue
    # the first link hangs lower by 0.3 rad: the couple on it has the size EI angle / l and turns it up
    couple = np.cross(-l[0] * n[:, 0], pair[:, 0]) + np.cross(-l[1] * n[:, 1], pair[:, 1])
    np.testing.assert_allclose(couple, 0.0, atol=1e-12)
    moment = -np.cross(l[0] * n[:, 0], pair[:, 0])
    np.testing.assert_allclose(
        moment[1], -15.0 * 0.3, rtol=0.03
    )  # the law is that of the curvature, linear for small angles


def test_friction_opposes_the_turn_of_drogue_against_hose():
    rates = jnp.zeros((2, 4)).at[0, -1].set(2.0)
    turn = geometry.turn_rate(ANGLES, rates)
    pair = loads.joint_friction(N, turn, L, 10.0)
    power = np.sum(pair * geometry.link_velocity(ANGLES, rates, L, 0 * L))
    np.testing.assert_allclose(power, -10.0 * np.sum(turn[:, -1] ** 2), rtol=1e-12)
    assert np.linalg.norm(pair[:, -2]) > 0  # the hose feels the reaction


def test_restoring_moment_is_linear_in_the_angle_and_turns_back():
    reference = geometry.direction(jnp.array([0.1, 0.0]))
    n = geometry.direction(jnp.array([0.5, 0.0]))
    force = loads.restoring(n, 0.3, reference, 286.5)
    moment = np.cross(-0.3 * n, force)
    np.testing.assert_allclose(moment, [0.0, -286.5 * 0.4, 0.0], atol=1e-9)
    np.testing.assert_allclose(loads.restoring(n, 0.3, n, 286.5), 0.0, atol=1e-9)
