"""Another number of links: straight ropes exactly, curved ones to the chord's error."""

import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.chain import LinkChain
from dovetail.mechanics.chain.remesh import links_needed, remesh

CHAIN = LinkChain(n=12, length=10.0, mass=10.0, tip_mass=2.0)


def test_a_straight_spinning_rope_is_carried_over_exactly():
    x = CHAIN.straight(jnp.array([1.0, 0.0, 0.0]))
    x["velocity"] = jnp.stack([0 * x["position"][0], x["position"][0], 0 * x["position"][0]])
    new, y = remesh(CHAIN, x, 7)
    np.testing.assert_allclose(y["position"][0], np.arange(1, 8) * 10 / 7, rtol=1e-12)
    np.testing.assert_allclose(y["velocity"][1], np.arange(1, 8) * 10 / 7, rtol=1e-12)
    assert new.n == 7


def test_a_curved_rope_keeps_its_length_and_nearly_its_tip():
    s = np.arange(1, 13) / 12 * 10
    x = CHAIN.through(jnp.array([5 * np.sin(s / 5), 5 - 5 * np.cos(s / 5), 0 * s]))
    new, y = remesh(CHAIN, x, 40)
    assert float(jnp.abs(new.stretch(y)).max()) < 1e-12
    np.testing.assert_allclose(
        y["position"][:, -1], x["position"][:, -1], atol=0.05
    )  # [m] polygon against chord


def test_a_bent_rope_asks_for_more_links_than_a_straight_one():
    s = np.arange(1, 13) / 12 * 10
    bent = CHAIN.through(jnp.array([2 * np.sin(s / 2), 2 - 2 * np.cos(s / 2), 0 * s]))
    assert links_needed(CHAIN.straight(jnp.array([1.0, 0.0, 0.0])), CHAIN) == 5
    assert links_needed(bent, CHAIN) > 40
