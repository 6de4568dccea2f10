"""Loops over pairs of rods give the numbers of the compiled equations."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import ChainLoads, RodChain
from dovetail.studies.capture.plain_loops import loop_rates, loop_run

N = 4
CHAIN = RodChain(
    n=N,
    length=20.0,
    mass=6.0,
    tip_mass=2.0,
    stiffness=4e4,
    axial_damping=600.0,
    bending=5.0,
    joint_damping=0.4,
)
FIELD, PULL = np.array([0.5, -0.3, -9.81]), np.array([-30.0, 20.0, 10.0])
LOADS = ChainLoads(field=jnp.array(FIELD), node=jnp.zeros((3, N + 1)).at[:, -1].set(PULL))


@pytest.mark.parametrize("inertia", ["konig", "rod"])
def test_rates_are_equal(inertia):
    chain = dataclasses.replace(CHAIN, inertia=inertia)
    random = np.random.default_rng(0)
    q, rate = 0.4 * random.normal(size=9), 0.3 * random.normal(size=9)
    x = {"q": jnp.array(q), "rate": jnp.array(rate)}
    ours = jax.jit(lambda x: chain.derivative(0.0, x, LOADS))(x)["rate"]
    np.testing.assert_allclose(loop_rates(chain, q, rate, FIELD, PULL), ours, rtol=1e-10, atol=1e-10)


def test_runs_are_equal():
    x = CHAIN.rest_state(0.0, 0.5, 0.1)
    plain = loop_run(CHAIN, x, FIELD, PULL, 1e-2, 3)
    step = jax.jit(lambda x: with_stage_loop(RK4()).step(CHAIN, 0.0, 1e-2, x, LOADS, ())[0])
    for _ in range(3):
        x = step(x)
    np.testing.assert_allclose(plain, x["q"], rtol=1e-11, atol=1e-13)
