"""Mass that changes lumps: what each way of accounting does to momentum, and the inertia of rope that slides."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import AngleChain, ChainLoads, LinkChain

COMMON = {
    "n": 5,
    "length": 6.0,
    "mass": 6.0 * 4.09,
    "last_link": 0.3,
    "tip_mass": 17.91,
    "distribution": "end",
}
CHAIN = AngleChain(**COMMON, root_direction=(-1.0, 0.0, 0.0))
ALONG = jnp.array([1.0, 0.0, 0.0])


def _audit(way):
    """Momentum made by the exchange of mass [N]: forces, less what leaves with the drum's velocity."""
    chain = dataclasses.replace(CHAIN, mass_transfer=way)
    keys = jax.random.split(jax.random.key(0), 2)
    x = {
        "angle": jnp.array([[np.pi / 2], [0.0]])
        + jax.random.uniform(keys[0], (2, 5), minval=-0.6, maxval=0.6),
        "rate": jax.random.normal(keys[1], (2, 5)),
    }
    length = jnp.array([5.7, -0.7, 0.0])

    @jax.jit
    def exchanged():
        s = chain.shape(x, length)
        return s, chain.exchange(s, length)

    s, force = jax.tree.map(np.asarray, exchanged())
    loss = -4.09 * s.l[1][0]
    change = np.sum(force, axis=1) - loss * np.sum(s.v[:, :-1], axis=1)
    leaves = 4 * loss * 0.7 * np.array([-1.0, 0.0, 0.0])
    extra = sum((5 - k) * (s.v[:, k - 1] - s.v[:, k - 2]) * loss for k in range(2, 5))
    return change + leaves, extra


def test_consistent_mass_transfer_conserves_momentum_and_the_published_one_does_not():
    np.testing.assert_allclose(_audit("consistent")[0], 0.0, atol=1e-12)
    made, extra = _audit("published")
    np.testing.assert_allclose(made, extra, rtol=1e-12)
    assert np.linalg.norm(made) > 0.1


@pytest.mark.parametrize("kind", [AngleChain, LinkChain])
def test_rope_that_slides_past_nodes_has_its_full_inertia(kind):
    """Straight pull: every kilogram of rope is accelerated with the reel, not in proportion to its node."""
    drawn = ChainLoads(jnp.zeros(3), length=jnp.array([6.0, 0.0, -2.0]))
    for way, share in (("sliding", 1.0), ("published", 5 / 8), ("none", 5 / 8)):
        chain = kind(**COMMON, mass_transfer=way)
        solved = eqx.filter_jit(kind.solve)(chain, 0.0, chain.straight(ALONG), drawn)
        np.testing.assert_allclose(solved.tension[0], 2.0 * (6.0 * 4.09 * share + 17.91), rtol=1e-12)


def test_links_that_shrink_in_sequence_have_no_sliding_rope():
    chain = dataclasses.replace(CHAIN, reeling_order="sequential", mass_transfer="none")
    length = (5.6, -0.5, 0.3)
    for rate in chain.slip(length):
        np.testing.assert_allclose(rate, 0.0, atol=1e-12)


def test_unequal_links_are_rejected():
    with pytest.raises(ParameterError, match="requires distribution end and reeling_order uniform"):
        LinkChain(n=3, length=3.0, mass=3.0, mass_transfer="published")
