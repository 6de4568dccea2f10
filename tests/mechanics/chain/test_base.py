"""What chains share: shifts, sums, loads."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from dovetail.mechanics.chain import AncfCable, AngleChain, ElasticChain, LinkChain, RodChain
from dovetail.mechanics.chain.base import (
    ChainLoads,
    link_differences,
    next_column,
    node_forces,
    previous_column,
    running_sum,
    sum_link_forces,
)

A = jnp.arange(12.0).reshape(3, 4)


def test_link_differences_and_sums_equal_their_definition():
    np.testing.assert_array_equal(previous_column(A)[0], [0, 0, 1, 2])
    np.testing.assert_array_equal(next_column(A, 9.0)[0], [1, 2, 3, 9])
    np.testing.assert_array_equal(running_sum(A), np.cumsum(A, axis=1))
    np.testing.assert_array_equal(running_sum(A, reverse=True), np.cumsum(A[:, ::-1], axis=1)[:, ::-1])


def test_summing_link_forces_is_the_transpose_of_differences():
    b = jnp.array(np.random.default_rng(0).normal(size=(3, 3)))
    np.testing.assert_allclose(jnp.sum(link_differences(A) * b), jnp.sum(A * sum_link_forces(b)), rtol=1e-12)


def test_link_forces_go_half_to_each_end():
    got = node_forces(2, ChainLoads(field=jnp.zeros(3), node=1.0, link=jnp.full((3, 2), 4.0)))
    np.testing.assert_array_equal(got[0], [3.0, 5.0, 3.0])


def eigenvalues(chain):
    """Eigenvalues of a straight chain without loads."""
    x = (
        chain.rest_state(0.0, np.pi / 2, 0.0)
        if isinstance(chain, RodChain)
        else chain.straight(jnp.array([1.0, 0.0, 0.0]))
    )
    flat, restore = ravel_pytree(x)
    loads = ChainLoads(field=jnp.zeros(3))
    rate = lambda v: ravel_pytree(chain.derivative(0.0, restore(v), loads))[0]  # noqa: E731
    return np.linalg.eigvals(np.asarray(jax.jit(jax.jacfwd(rate))(flat)))


ROPE = {"n": 30, "length": 6.0, "mass": 3.0}


@pytest.mark.parametrize(
    ("chain", "tolerance"),  # of long chains: the ends make their fastest modes a little slower or faster
    [
        (LinkChain(**ROPE, joint_damping=2.0), 0.01),
        (AngleChain(**ROPE, joint_damping=2.0), 0.01),
        (RodChain(**ROPE, joint_damping=2.0, stiffness=100.0, axial_damping=1.0), 0.02),
        (ElasticChain(**ROPE, joint_damping=2.0, stiffness=100.0), 0.01),
        (ElasticChain(**ROPE, axial_damping=50.0, stiffness=100.0), 0.01),
        (AncfCable(**ROPE, stiffness=100.0), 1e-6),
        (AncfCable(**ROPE | {"n": 2}, stiffness=100.0, tip_mass=2.0), 1e-6),
    ],
    ids=lambda value: str(value) if isinstance(value, float) else type(value).__name__,
)
def test_the_estimates_of_the_fastest_rates_are_those_of_the_linearised_chain(chain, tolerance):
    exact, estimates = eigenvalues(chain), np.array(chain.fastest_rates())
    if np.any(estimates.real < 0):
        assert estimates.real.min() == pytest.approx(exact.real.min(), rel=tolerance)
    if np.abs(exact.imag).max() > 1.0:
        assert np.abs(estimates.imag).max() == pytest.approx(np.abs(exact.imag).max(), rel=tolerance)
