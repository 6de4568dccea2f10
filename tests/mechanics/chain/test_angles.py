"""Directions by two angles: tangents and second rates are their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain.angles import (
    angle_accelerations,
    angle_rates,
    angles,
    bias,
    direction,
    tangents,
)

PHI, PSI = jnp.array([0.3, -1.2, 2.0]), jnp.array([0.5, -0.4, 1.1])


def test_tangents_are_the_derivatives_and_are_at_right_angles():
    e_phi, e_psi = tangents(PHI, PSI)
    np.testing.assert_allclose(
        e_phi, jax.jvp(lambda p: direction(p, PSI), (PHI,), (jnp.ones(3),))[1], atol=1e-15
    )
    np.testing.assert_allclose(
        e_psi, jax.jvp(lambda p: direction(PHI, p), (PSI,), (jnp.ones(3),))[1], atol=1e-15
    )
    np.testing.assert_allclose(jnp.sum(e_phi * e_psi, axis=0), 0.0, atol=1e-15)


def test_second_rates_are_those_of_angles_that_change_evenly():
    a, b = jnp.array([0.7, -0.2, 1.5]), jnp.array([-0.6, 0.9, 0.1])

    def at(t):
        return direction(PHI + a * t, PSI + b * t)

    second = jax.jvp(lambda t: jax.jvp(at, (t,), (1.0,))[1], (0.0,), (1.0,))[1]
    np.testing.assert_allclose(bias(PHI, PSI, a, b), second, atol=1e-14)


def test_angles_are_recovered_from_positions():
    phi, psi = angles(direction(PHI, PSI))
    np.testing.assert_allclose(phi, PHI, atol=1e-14)
    np.testing.assert_allclose(psi, PSI, atol=1e-14)


def test_rates_of_the_angles_are_read_back_from_those_of_the_direction():
    def path(t):
        return jnp.array([0.4 + jnp.sin(1.3 * t), 0.5 * jnp.cos(0.7 * t)])

    def u(t):
        return direction(*path(t))

    first, q = jax.jacfwd(u), jax.jacfwd(path)

    @jax.jit
    def both(t):
        found = angle_rates(*path(t), first(t))
        return found, angle_accelerations(*path(t), found, jax.jacfwd(first)(t)), q(t), jax.jacfwd(q)(t)

    rates, seconds, wanted, wanted_2 = both(0.6)
    np.testing.assert_allclose(rates, wanted, rtol=1e-12)
    np.testing.assert_allclose(seconds, wanted_2, rtol=1e-11)
