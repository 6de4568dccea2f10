"""Chains side by side move as each of them does alone."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import ChainLoads, LinkChain, LinkChainBatch

RNG = np.random.default_rng(5)
N = 4
FIELD = jnp.array([0.3, 9.81, -0.2])


def chains(**options):
    masses, lengths = (4.0, 7.0, 9.0), (10.0, 12.0, 15.0)
    return [
        LinkChain(n=N, length=l, mass=m, tip_mass=m / 3, **options)
        for l, m in zip(lengths, masses, strict=True)
    ]


def states(ones):
    """A bent, moving state of each chain."""
    found = []
    for chain in ones:
        bent = np.array([[0.2], [1.0], [0.1]]) + 0.3 * RNG.normal(size=(3, N))
        reach = np.cumsum(bent / np.linalg.norm(bent, axis=0) * float(chain.length) / N, axis=1)
        found.append({"position": jnp.asarray(reach), "velocity": jnp.asarray(RNG.normal(size=(3, N)))})
    return found


def side_by_side(one_by_one):
    """(3, n) of each variant as (n, 3, k) of all."""
    return jnp.stack([a.T for a in one_by_one], axis=-1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"distribution": "end", "mass_damping": 0.05},
        {"bending": 3.0, "joint_damping": 0.4, "stiffness_damping": 0.02},
    ],
    ids=["bare", "drag over mass", "stiff joints with friction"],
)
def test_accelerations_and_tensions_are_those_of_single_chains(options):
    ones = chains(**options)
    x = states(ones)
    pull = RNG.normal(size=(3, 3))
    expected = [
        eqx.filter_jit(LinkChain.solve)(
            chain, 0.0, state, ChainLoads(field=FIELD, node=jnp.zeros((3, N + 1)).at[:, -1].set(pull[:, i]))
        )
        for i, (chain, state) in enumerate(zip(ones, x, strict=True))
    ]
    many = LinkChainBatch.from_chains(ones)
    state = {name: side_by_side([s[name] for s in x]) for name in ("position", "velocity")}
    acceleration, tension = eqx.filter_jit(LinkChainBatch.solve)(many, state, FIELD, jnp.asarray(pull))
    scale = max(float(jnp.abs(e.acceleration).max()) for e in expected)
    for i, one in enumerate(expected):
        np.testing.assert_allclose(acceleration[..., i].T, one.acceleration[:, 1:], atol=1e-12 * scale)
        np.testing.assert_allclose(tension[:, i], one.tension, rtol=1e-11)


def test_a_run_is_that_of_each_chain_alone():
    ones = chains(mass_damping=0.02)

    def end(flow, x, u):
        return jax.lax.fori_loop(0, 50, lambda i, x: RK4().step(flow, 0.0, 1e-2, x, u, ())[0], x)

    along = jnp.array([1.0, 0.0, 0.0])
    many = LinkChainBatch.from_chains(ones)
    together = end(many, many.straight(along), (FIELD, 0.0))["position"]
    alone = jax.jit(end)(ones[1], ones[1].straight(along), ChainLoads(field=FIELD))["position"]
    np.testing.assert_allclose(together[..., 1].T, alone, atol=1e-11)


def test_one_chain_with_arrays_is_as_many_as_they_have_entries():
    masses = jnp.array([4.0, 7.0])
    many = LinkChainBatch.from_chains(LinkChain(n=N, length=10.0, mass=masses))
    assert many.inverse.shape == (N, 2)
    assert many.link.shape == (2,)
    shown = jax.eval_shape(lambda: many.output(0.0, many.init(), (FIELD, 0.0)))
    assert shown["tension"].shape == (N, 2)


@pytest.mark.parametrize("options", [{"distribution": "rod"}, {"tip": "prescribed"}, {"last_link": 0.5}])
def test_unsupported_chains_are_rejected(options):
    with pytest.raises(ParameterError, match=r"equal links with point masses and a free tip.*jax\.vmap"):
        LinkChainBatch.from_chains(chains(**options))
