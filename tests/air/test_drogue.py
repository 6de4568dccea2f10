"""A drogue as a body at the end of a hose: couples, the air's moment, its drag, and who cannot carry it."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.drogue import TowedDrogue, couple, unit
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import AncfCable, ElasticChain, LinkChain, RodChain


def direction(angle):
    """Up the hose, below the joint by an angle."""
    return jnp.array([np.cos(angle), 0.0, np.sin(angle)])


def test_moments_act_as_couples_of_the_given_size():
    force = couple(jnp.array([7.0, 30.0, -20.0]), 0.3)
    np.testing.assert_allclose(np.cross([-0.3, 0, 0], force), [0, 30.0, -20.0], atol=1e-13)


def test_restoring_moment_is_linear_in_the_angle_and_turns_back():
    drogue, n = TowedDrogue(aero_moment=286.5), direction(0.5)
    moment = np.cross(-0.3 * n, drogue.restoring(n, 0.3, direction(0.1)))
    np.testing.assert_allclose(moment, [0.0, 286.5 * 0.4, 0.0], atol=1e-9)
    np.testing.assert_allclose(drogue.restoring(n, 0.3, n), 0.0, atol=1e-9)


def test_its_pull_is_drag_and_weight():
    pull = TowedDrogue().pull(jnp.array([-200.0, 0.0, 0.0]), 0.525, jnp.array([0.0, 0.0, -9.81]))
    np.testing.assert_allclose(pull, [-2451.65, 0.0, -17.91 * 9.81], rtol=1e-5)
    np.testing.assert_allclose(unit(pull) @ unit(pull), 1.0)


@pytest.mark.parametrize("kind", [LinkChain, ElasticChain])
def test_on_a_lumped_chain_the_drogue_is_an_additional_link_of_its_length(kind):
    extra = {"stiffness": 1e4} if kind is ElasticChain else {}
    chain = TowedDrogue().attach_to(kind(n=4, length=8.0, mass=8.0, distribution="end", **extra))
    l = chain.lengths()[0]
    np.testing.assert_allclose(l, [2.0, 2.0, 2.0, 2.0, 0.3])
    np.testing.assert_allclose(chain.masses(l)[1], [2.0, 2.0, 2.0, 2.0, 17.91])


@pytest.mark.parametrize(
    "chain",
    [
        RodChain(n=3, length=3.0, mass=3.0, stiffness=3000.0),
        AncfCable(n=3, length=3.0, mass=3.0, stiffness=1e4),
    ],
)
def test_chains_without_a_separate_last_link_reject_the_drogue(chain):
    with pytest.raises(ParameterError, match="no separate last link.*Use an angle-chain"):
        TowedDrogue().attach_to(chain)
