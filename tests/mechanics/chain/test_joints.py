"""Joints between links: forces are the gradient of the energy, friction only takes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import joints

L = jnp.array([0.7, 0.7, 0.7, 0.7])


def directions(seed):
    u = np.random.default_rng(seed).normal(size=(3, 4)) + np.array([3.0, 0, 0])[:, None]
    return jnp.array(u / np.linalg.norm(u, axis=0))


def test_bending_is_the_slope_of_its_energy():
    u = directions(0)
    slope = jax.grad(lambda u: joints.bending_energy(u, L, 2.0))(u)
    np.testing.assert_allclose(joints.bending(u, L, 2.0), -slope, rtol=1e-12, atol=1e-12)


def test_small_bends_have_the_energy_of_a_beam():
    angle = 1e-3
    u = jnp.array([[1.0, np.cos(angle)], [0.0, np.sin(angle)], [0.0, 0.0]])
    assert float(joints.bending_energy(u, L[:2], 2.0)) == pytest.approx(0.5 * 2.0 / 0.7 * angle**2, rel=1e-5)


def test_joint_friction_dissipates_its_power_and_acts_across_the_links():
    u = directions(1)
    rate = jnp.array(np.random.default_rng(2).normal(size=(3, 4)))
    h = joints.friction(rate, 0.3)
    assert float(jnp.sum(h * rate)) == pytest.approx(float(joints.friction_power(rate, 0.3)), rel=1e-12)
    assert float(joints.friction_power(rate, 0.3)) < 0
    across = joints.link_forces(h, u, L)
    np.testing.assert_allclose(jnp.sum(across * u, axis=0), 0.0, atol=1e-14)
