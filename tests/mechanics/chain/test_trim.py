"""Chains at rest under loads that follow their shape: no formulation moves, and what cannot pull is refused."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from jax.tree_util import Partial

from dovetail.core.errors import ConvergenceError
from dovetail.mechanics.chain import AngleChain, ChainLoads, ElasticChain, LinkChain
from dovetail.mechanics.chain.trim import at_rest, modes_about

COMMON = {"n": 6, "length": 6.0, "mass": 6.0, "tip_mass": 2.0, "bending": 3.0}
CHAINS = [AngleChain(**COMMON), LinkChain(**COMMON), ElasticChain(**COMMON, stiffness=2e3)]
DOWN = jnp.array([0.0, 0.0, -1.0])


def blown(chain, x):
    """Weight, and a wind that pushes every node the more the lower it is."""
    p = chain.nodes(x).position
    push = jnp.zeros_like(p).at[0].set(4.0 - 2.0 * p[2])
    return ChainLoads(field=9.81 * DOWN, node=push)


@pytest.mark.parametrize(
    "chain",
    [CHAINS[0], *(pytest.param(c, marks=pytest.mark.slow) for c in CHAINS[1:])],
    ids=lambda c: type(c).__name__,
)
def test_nothing_moves_and_tensions_are_those_of_the_equations(chain):
    loads = Partial(blown, chain)
    rest = at_rest(chain, loads, DOWN)
    solved = eqx.filter_jit(type(chain).solve)(chain, 0.0, rest.state, loads(rest.state))
    np.testing.assert_allclose(solved.acceleration, 0.0, atol=1e-8)
    np.testing.assert_allclose(solved.tension, rest.tension, rtol=1e-8)
    assert float(chain.nodes(rest.state).tip[0][0]) > 1.0  # it is blown aside


def test_a_trim_with_compression_is_rejected():
    with pytest.raises(ConvergenceError, match=r"rope: no steady flight .* Check airspeed"):
        at_rest(CHAINS[0], Partial(_weightless), DOWN, what="rope")


def _weightless(x):
    return ChainLoads(field=jnp.zeros(3))


def test_modes_of_a_heavy_tip_on_one_link_are_the_pendulum_s():
    chain = AngleChain(n=1, length=2.0, mass=1e-9, tip_mass=3.0)
    loads = Partial(_hanging)
    rest = at_rest(chain, loads, DOWN)
    for rows, number in (((0,), 1), (None, 2)):
        found = modes_about(chain, loads, rest.state, rows)
        np.testing.assert_allclose(found.frequencies[:number], np.sqrt(9.81 / 2.0) / (2 * np.pi), rtol=1e-6)


def _hanging(x):
    return ChainLoads(field=9.81 * DOWN)
