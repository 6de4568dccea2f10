"""Design through the differentiated loop: the gradient is right, and finds what a search without it finds."""

import jax
import jax.numpy as jnp
import pytest

from dovetail import testing
from dovetail.campaign.optimise import minimise_bfgs, minimise_nelder_mead, objective
from dovetail.campaign.plan import find_test
from dovetail.core.errors import DovetailError, ParameterError

BOUNDS = {"numerical.c": (5.0, 60.0), "excitation.frequency": (2.0, 4.0)}


@pytest.fixture(scope="module")
def cs1():
    return testing.load(find_test("substructuring/cs1"), {"duration": 0.4})


def test_the_gradient_is_that_of_differences(cs1):
    cost = jax.jit(objective(cs1, "rms displacement", BOUNDS))
    at, step = jnp.array([0.3, 0.6]), 1e-5
    slope = jax.jit(jax.grad(cost))(at)
    for i in range(2):
        differences = (cost(at.at[i].add(step)) - cost(at.at[i].add(-step))) / (2 * step)
        assert float(slope[i]) == pytest.approx(float(differences), rel=1e-6)


@pytest.mark.slow
def test_both_methods_find_the_same_design():
    test = testing.load(find_test("substructuring/cs1-forward-prediction"), {"duration": 0.5})
    bounds = {"compensator.delay": (1e-3, 14e-3)}
    found = minimise_bfgs(test, "rms e2", bounds, [5e-3])
    judge = minimise_nelder_mead(test, "rms e2", bounds, [5e-3])
    # the actuator's delay is 9.4 ms, and half a sample is spent on holding the force
    assert found.cost == pytest.approx(judge.cost, rel=1e-3)
    assert found.values["compensator.delay"] == pytest.approx(judge.values["compensator.delay"], rel=1e-3)


def test_a_test_that_cannot_be_differentiated_is_reported(cs1):
    with pytest.raises(ParameterError, match="no derivative"):
        objective(cs1, "fidelity.delay", {"numerical.c": (1.0, 2.0)})
    with pytest.raises(ParameterError, match="is not a numeric parameter"):
        objective(cs1, "rms displacement", {"rate": (1.0, 2.0)})
    with pytest.raises(ParameterError, match="are empty"):
        objective(cs1, "rms displacement", {"numerical.c": (2.0, 1.0)})
    with pytest.raises(ParameterError, match="outside the bounds"):
        minimise_bfgs(cs1, "rms displacement", {"numerical.c": (1.0, 2.0)})
    with pytest.raises(DovetailError, match="known"):
        objective(cs1, "rms displacement", {"numerical.nothing": (1.0, 2.0)})
