"""Another number of links: straight ropes exactly, curved ones to the chord's error."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import AdaptiveElements, LinkChain
from dovetail.mechanics.chain.remesh import links_needed, remesh

remeshed = eqx.filter_jit(remesh)
CHAIN = LinkChain(n=12, length=10.0, mass=10.0, tip_mass=2.0)


def test_a_straight_spinning_rope_is_carried_over_exactly():
    x = CHAIN.straight(jnp.array([1.0, 0.0, 0.0]))
    x["velocity"] = jnp.stack([0 * x["position"][0], x["position"][0], 0 * x["position"][0]])
    new, y = remeshed(CHAIN, x, 7)
    np.testing.assert_allclose(y["position"][0], np.arange(1, 8) * 10 / 7, rtol=1e-12)
    np.testing.assert_allclose(y["velocity"][1], np.arange(1, 8) * 10 / 7, rtol=1e-12)
    assert new.n == 7


def test_remeshing_a_curved_rope_keeps_its_length_and_nearly_its_tip():
    s = np.arange(1, 13) / 12 * 10
    x = CHAIN.rest_state_through(jnp.array([5 * np.sin(s / 5), 5 - 5 * np.cos(s / 5), 0 * s]))
    new, y = remeshed(CHAIN, x, 40)
    assert float(jnp.abs(new.stretch(y)).max()) < 1e-12
    np.testing.assert_allclose(
        y["position"][:, -1], x["position"][:, -1], atol=0.05
    )  # [m] polygon against chord


def test_a_bent_rope_needs_more_links_than_a_straight_one():
    s = np.arange(1, 13) / 12 * 10
    bent = CHAIN.rest_state_through(jnp.array([2 * np.sin(s / 2), 2 - 2 * np.cos(s / 2), 0 * s]))
    assert links_needed(CHAIN.straight(jnp.array([1.0, 0.0, 0.0])), CHAIN) == 5
    assert links_needed(bent, CHAIN) > 40


ELEMENTS = AdaptiveElements(max_bend=0.2, min_links=5, max_links=40)


def arc(chain, radius):
    s = np.arange(1, chain.n + 1) / chain.n * 10
    return chain.rest_state_through(
        jnp.array([radius * np.sin(s / radius), radius - radius * np.cos(s / radius), 0 * s])
    )


def test_the_number_of_links_follows_the_curvature_within_its_bounds():
    ten = LinkChain(n=10, length=10.0, mass=10.0)
    # on a circle of radius r a joint of n links of 10 m bends by 10/(n r): 0.2 rad need n = 50/r
    wanted = {radius: ELEMENTS.link_count(ten, arc(ten, radius)) for radius in (1.0, 3.0, 6.0, 8.0, 20.0)}
    assert wanted == {1.0: 40, 3.0: 20, 6.0: 10, 8.0: 10, 20.0: 5}  # 8: half would do, but barely


def test_a_record_of_few_links_has_the_form_of_the_most():
    few = {"node_position": jnp.array([[0.0, 1.0, 3.0]] * 3), "tension": jnp.array([7.0, 9.0])}
    shown = AdaptiveElements(min_links=2, max_links=4).resample_record(few, 2)
    np.testing.assert_allclose(shown["node_position"][0], [0.0, 0.5, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(shown["tension"], [7.0, 7.0, 9.0, 9.0])
    assert shown["link_count"] == 2


def test_reversed_bounds_are_rejected():
    with pytest.raises(ParameterError, match="at least min_links, 20"):
        AdaptiveElements(min_links=20, max_links=10)
