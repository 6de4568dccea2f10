"""A body caught at the tip: momentum across the rope kept, links at their length, energy never gained."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import AncfCable, ElasticChain, LinkChain, RodChain
from dovetail.mechanics.chain.attach_body import join, release


@eqx.filter_jit
def caught(chain, x, mass, velocity):
    """State after the catch, the tip's velocities before and after, and the energy lost."""
    loaded, after = join(chain, x, mass=mass, velocity=velocity)
    before = chain.energies(x)["kinetic"] + 0.5 * mass * velocity @ velocity
    lost = before - loaded.energies(after)["kinetic"]
    return after, chain.nodes(x).tip[1], loaded.nodes(after).tip[1], lost


def test_lateral_momentum_is_shared_and_axial_momentum_goes_to_the_support():
    chain = LinkChain(n=4, length=8.0, mass=4.0, tip_mass=1.0)
    x = chain.straight(jnp.array([1.0, 0.0, 0.0]))
    loaded, _ = join(chain, x, mass=6.0, velocity=jnp.zeros(3))
    assert float(loaded.tip_mass) == 7.0
    after, *_ = caught(chain, x, 6.0, jnp.array([2.0, 3.0, -1.0]))
    # straight: across, only the tip's own mass (half a link and one) and the body's six take part
    expected = 6.0 * np.array([0.0, 3.0, -1.0]) / (0.5 + 1.0 + 6.0)
    np.testing.assert_allclose(after["velocity"][:, -1], expected, atol=1e-12)
    np.testing.assert_allclose(after["velocity"][:, :-1], 0.0, atol=1e-12)


def test_links_do_not_stretch_and_energy_is_lost_when_a_moving_rope_catches():
    rng = np.random.default_rng(2)
    chain = LinkChain(n=6, length=6.0, mass=3.0, tip_mass=0.5)
    u = rng.normal(size=(3, 6)) + np.array([3.0, 0.0, 0.0])[:, None]
    u /= np.linalg.norm(u, axis=0)
    still, pushed = chain.rest_state_through(jnp.array(np.cumsum(u, 1))), jnp.array(rng.normal(size=(3, 6)))
    x = eqx.filter_jit(LinkChain.impulse)(chain, still, pushed)
    after, _, _, lost = caught(chain, x, 80.0, jnp.array([1.0, -2.0, 0.5]))
    stretch = np.sum(u * np.diff(np.c_[np.zeros(3), after["velocity"]], axis=1), axis=0)
    np.testing.assert_allclose(stretch, 0.0, atol=1e-10)
    assert float(lost) > 0


def test_release_changes_only_the_mass():
    chain = LinkChain(n=3, length=3.0, mass=3.0, tip_mass=5.0)
    x = chain.straight(jnp.array([0.0, 0.0, -1.0]))
    lighter, same = release(chain, x, mass=4.0)
    assert float(lighter.tip_mass) == pytest.approx(1.0)
    assert same is x


def moving(chain):
    """Aslant, with every coordinate in motion."""
    x = chain.straight(jnp.array([0.6, 0.64, 0.48]))
    name = "velocity" if "velocity" in x else "rate"
    return {**x, name: jnp.array(0.3 * np.random.default_rng(3).normal(size=x[name].shape))}


@pytest.mark.parametrize(
    "chain",
    [
        RodChain(n=3, length=6.0, mass=3.0, tip_mass=0.5, stiffness=6000.0),
        ElasticChain(n=3, length=6.0, mass=3.0, tip_mass=0.5, stiffness=1e4),
        AncfCable(n=2, length=6.0, mass=3.0, tip_mass=0.5, stiffness=1e4),
    ],
    ids=lambda chain: type(chain).__name__,
)
def test_every_formulation_loses_the_energy_of_a_plastic_impact(chain):
    x, body, mass = moving(chain), jnp.array([1.0, -2.0, 0.5]), 8.0
    _, tip, tip_after, lost = caught(chain, x, mass, body)
    # p . (v_b - v) / 2 with the impulse p on the body, and v the tip's velocity before
    impulse = mass * (body - tip_after)
    assert float(lost) == pytest.approx(0.5 * float(impulse @ (body - tip)), rel=1e-9)
    assert lost > 0


def test_an_axial_impulse_on_a_straight_rope_moves_the_whole_rope():
    chain = RodChain(n=3, length=6.0, mass=3.0, tip_mass=0.5, stiffness=6000.0)
    after, *_ = caught(chain, chain.rest_state(0.0, 0.0, 0.0), 8.0, jnp.array([0.0, 0.0, -2.0]))
    assert float(after["rate"][0]) == pytest.approx(8.0 * 2.0 / (8.0 + 3.5))
