"""Elastic links: Hooke along the rope, slack, energy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.mechanics.chain import ChainLoads, ElasticChain, LinkChain

G = jnp.array([0.0, 0.0, -9.81])
DOWN = jnp.array([0.0, 0.0, -1.0])


def integrate(chain, x, u, h, steps):
    @jax.jit
    def run(x):
        return jax.lax.scan(
            lambda x, _: (RK4().step(chain, 0.0, h, x, u, ())[0], None), x, None, length=steps
        )[0]

    return run(x)


def test_hanging_under_its_weight_it_stretches_as_a_continuous_rope():
    chain = ElasticChain(n=50, length=10.0, mass=10.0, stiffness=1e4, tip_mass=2.0)

    @jax.jit
    def begun():
        x = chain.rest_state_along(jnp.tile(DOWN[:, None], 50), G, jnp.zeros(3))
        return x, chain.derivative(0.0, x, ChainLoads(field=G))

    x, rate = begun()
    assert np.abs(rate["velocity"]).max() < 1e-9
    # W L / (2 EA) of its own weight, and that of the tip mass
    expected = 10 * 9.81 * 10 / (2 * 1e4) + 2 * 9.81 * 10 / 1e4
    assert -float(x["position"][2, -1]) - 10 == pytest.approx(expected, rel=1e-9)


def test_a_slack_link_has_no_force_and_a_taut_one_follows_hookes_law():
    chain = ElasticChain(n=2, length=2.0, mass=1.0, stiffness=100.0)
    x = chain.rest_state_through(jnp.array([[0.0, 0.0], [0.9, 2.1], [0.0, 0.0]]))
    tension = chain.solve(0.0, x, ChainLoads(field=0 * G)).tension
    np.testing.assert_allclose(tension, [0.0, 20.0], atol=1e-9)


@pytest.mark.parametrize("compression", ["none", "elastic"])
def test_the_damper_resists_the_change_of_length_and_dissipates(compression):
    chain = ElasticChain(
        n=2, length=2.0, mass=1.0, stiffness=100.0, axial_damping=5.0, compression=compression
    )
    x = chain.rest_state_through(jnp.array([[0.0, 0.0], [1.2, 2.4], [0.0, 0.0]]))
    loads = ChainLoads(field=0 * G)
    for speed in (0.3, -0.3):  # [m/s] of the first link's end; the second link changes by the opposite
        moving = {**x, "velocity": jnp.array([[0.0, 0.0], [speed, 0.0], [0.0, 0.0]])}
        tension = chain.solve(0.0, moving, loads).tension
        np.testing.assert_allclose(tension, [20.0 + 5.0 * speed, 20.0 - 5.0 * speed], atol=1e-9)
        assert float(chain.power(moving, loads)["damping"]) == pytest.approx(-2 * 5.0 * speed**2)


@pytest.mark.slow
def test_energy_is_conserved_and_converges_to_the_inextensible_chain():
    stiff = ElasticChain(n=8, length=8.0, mass=8.0, stiffness=2e5, bending=0.5, compression="elastic")
    hard = LinkChain(n=8, length=8.0, mass=8.0, bending=0.5)
    x = stiff.straight(jnp.array([1.0, 1.0, 0.0]) / jnp.sqrt(2.0))
    end = integrate(stiff, x, ChainLoads(field=G), 2e-4, 3500)

    @jax.jit
    def energy(x):
        found = stiff.energies(x)
        return sum(found.values()) - G @ stiff.mass_moments(x)[0], found["kinetic"]

    (total, kinetic), (begun, _) = energy(end), energy(x)
    assert float(total) == pytest.approx(float(begun), abs=1e-6 * float(kinetic))
    other = integrate(hard, x, ChainLoads(field=G), 1e-3, 700)
    # strain of 5e-4 at most: millimetres over eight metres
    np.testing.assert_allclose(end["position"][:, -1], other["position"][:, -1], atol=5e-3)
