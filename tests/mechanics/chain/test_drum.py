"""The drum: its force, and how it and any chain answer each other."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import AngleChain, ChainLoads, ElasticChain, HoseDrum, IdealDrum, LinkChain
from dovetail.mechanics.chain.drum import chain_and_drum_rates

COMMON = {"n": 4, "length": 6.0, "mass": 6.0}
CHAINS = [
    AngleChain(**COMMON),
    LinkChain(**COMMON),
    ElasticChain(**COMMON, stiffness=1e4, axial_damping=40.0),
]


def test_the_drum_s_force_is_feed_forward_and_two_gains():
    told = jnp.array([1.0, 0.5, 0.2])
    force, inertia = HoseDrum(holding_force=7.0).drive(told, 0.9, 0.3)
    np.testing.assert_allclose(force, 100 * 0.2 + 1000 * 0.1 + 100 * 0.2 + 7.0)
    assert inertia == 100.0
    assert IdealDrum().drive(told, 0.9, 0.3) == (0.2, None)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda c: type(c).__name__)
def test_the_drum_feels_the_first_tension(chain):
    """m s'' = F - t_1 for every formulation, and the chain then moves as with that acceleration given."""
    x = chain.straight(jnp.array([0.6, 0.8, 0.0]))
    x = chain.with_node_velocities(x, jax.random.normal(jax.random.key(1), (3, 4)))

    def solve(reel):
        loads = ChainLoads(
            9.81 * jnp.array([0.0, 0.0, -1.0]), length=(jnp.asarray(5.9), jnp.asarray(-0.3), -reel)
        )
        return chain.solve(0.0, x, loads)

    @eqx.filter_jit
    def both():
        solved, reel = chain_and_drum_rates(solve, (jnp.asarray(500.0), jnp.asarray(100.0)))
        return solved, reel, solve(reel)

    solved, reel, again = both()
    np.testing.assert_allclose(100.0 * reel, 500.0 - solved.tension[0], rtol=1e-12)
    np.testing.assert_allclose(solved.acceleration, again.acceleration, rtol=1e-9, atol=1e-9)


def test_with_exact_rates_the_chain_is_solved_once():
    solved, reel = chain_and_drum_rates(lambda reel: ChainLoads(reel), (jnp.asarray(0.3), None))
    assert float(solved.field) == float(reel) == pytest.approx(0.3)
