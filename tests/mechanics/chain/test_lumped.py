"""What chains of point masses share: Newton at every node, lengths that change, held ends, accounts, one limit."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import AngleChain, Chain, ChainLoads, ElasticChain, LinkChain

COMMON = {"n": 5, "length": 6.0, "mass": 24.0, "last_link": 0.4, "tip_mass": 9.0, "distribution": "end"}
COMMON |= {"bending": 8.0, "joint_damping": 0.5, "end_damping": 2.0}
KINDS = {
    "AngleChain": AngleChain,
    "LinkChain": LinkChain,
    "ElasticChain": lambda **k: ElasticChain(**k, stiffness=3e4, axial_damping=60.0),
}
FIELD = jnp.array([0.0, 0.0, -9.81])
FORCE = 100 * jax.random.normal(jax.random.key(2), (3, 6))


def moving(chain, length=None):
    """A state in which everything moves, links at their length."""
    keys = jax.random.split(jax.random.key(0), 2)
    phi = jnp.pi / 3 + jax.random.uniform(keys[0], (5,), minval=-0.4, maxval=0.4)
    psi = jax.random.uniform(keys[1], (5,), minval=-0.4, maxval=0.4)
    from dovetail.mechanics.chain.angles import direction

    own = AngleChain(**COMMON)
    x = own.state_from_directions(direction(phi, psi), own.lengths(length)[0])
    x["rate"] = jax.random.normal(keys[1], (2, 5))
    if isinstance(chain, AngleChain):
        return x
    nodes = own.nodes(x, length)
    return {"position": nodes.position[:, 1:], "velocity": nodes.velocity[:, 1:]}


@pytest.mark.parametrize("kind", KINDS)
def test_tensions_satisfy_newton_at_every_mass(kind):
    chain, length = KINDS[kind](**COMMON, mass_transfer="none"), (5.4, -0.7, 0.3)
    loads = ChainLoads(FIELD, node=FORCE, length=length)

    @eqx.filter_jit
    def run(chain, x):
        s = chain.shape(x, length)
        return s, chain.acting(s, loads), chain.solve(0.0, x, loads)

    s, acting, solved = run(chain, moving(chain, length))
    pull = solved.tension * s.n
    below = np.concatenate([pull[:, 1:], np.zeros((3, 1))], axis=1)
    expected = acting + s.mass * FIELD[:, None] - pull + below
    np.testing.assert_allclose(s.mass * solved.acceleration[:, 1:], expected, atol=1e-8)
    np.testing.assert_allclose(solved.reaction, pull[:, 0] + FORCE[:, 0], atol=1e-9)


def test_angles_and_links_are_the_same_equations():
    """Two formulations of the same links, one with coordinates that cannot drift: same accelerations and tensions."""
    for shrink in ("uniform", "sequential"):
        length = (4.7, -0.7, 0.3)  # in a rounded corner of the sequence
        loads = ChainLoads(FIELD, node=FORCE, length=length)
        found = []
        for kind in ("AngleChain", "LinkChain"):
            chain = KINDS[kind](**COMMON, reeling_order=shrink)
            x = moving(dataclasses.replace(chain, reeling_order="uniform"), length)
            if (
                shrink == "sequential"
            ):  # lengths differ from link to link: the Cartesian state is that of the angles
                own = AngleChain(**COMMON, reeling_order=shrink)
                angled = moving(own, length)
                nodes = own.nodes(angled, length)
                x = angled if kind == "AngleChain" else own_places(nodes)
            found.append(eqx.filter_jit(type(chain).solve)(chain, 0.0, x, loads))
        np.testing.assert_allclose(found[0].acceleration, found[1].acceleration, rtol=1e-8, atol=1e-7)
        np.testing.assert_allclose(found[0].tension, found[1].tension, rtol=1e-8, atol=1e-6)


def own_places(nodes):
    return {"position": nodes.position[:, 1:], "velocity": nodes.velocity[:, 1:]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_held_tip_follows_its_prescribed_motion(kind):
    chain = KINDS[kind](**COMMON, tip="prescribed")
    told = jnp.array([1.0, -2.0, 3.0])
    solved = eqx.filter_jit(type(chain).solve)(
        chain, 0.0, moving(chain), ChainLoads(FIELD, tip_acceleration=told)
    )
    np.testing.assert_allclose(solved.acceleration[:, -1], told, atol=1e-12)


class Swinging(Flow):
    """A chain that is reeled in and pushed about, with the account of its momentum and energy beside it."""

    chain: Chain

    def loads(self, t):
        s = 0.2 * t**2
        length = (6.0 - s, -0.4 * t, jnp.asarray(-0.4))
        return ChainLoads(FIELD, node=0.1 * FORCE * jnp.sin(9 * t), length=length)

    def init(self):
        x = moving(self.chain)
        momentum, energy = self.chain.momentum_and_energy(x, self.loads(0.0))
        return {"rope": x, "impulse": momentum, "work": energy}

    def derivative(self, t, x, u):
        loads = self.loads(t)
        solved = self.chain.solve(t, x["rope"], loads)
        impulse, power = self.chain.energy_balance(x["rope"], loads, solved)
        return {"rope": solved.rate, "impulse": impulse, "work": power}

    def output(self, t, x, u):
        momentum, energy = self.chain.momentum_and_energy(x["rope"], self.loads(t))
        return energy, energy - x["work"], momentum - x["impulse"]


@pytest.mark.parametrize(
    "kind", [k if k == "LinkChain" else pytest.param(k, marks=pytest.mark.slow) for k in KINDS]
)
def test_momentum_and_energy_of_a_reeled_chain_equal_impulse_and_work(kind):
    flow = Swinging(KINDS[kind](**COMMON))

    @eqx.filter_jit
    def run(flow):
        def step(x, k):
            x, _ = with_stage_loop(RK4()).step(flow, k * 5e-4, 5e-4, x, None, ())
            return x, flow.output((k + 1) * 5e-4, x, None)

        return jax.lax.scan(step, flow.init(), jnp.arange(1000))[1]

    energy, left, momentum = run(flow)
    scale = float(np.abs(energy).max())
    assert scale > 20  # [J]
    assert np.abs(left).max() < 1e-6 * scale
    assert np.abs(momentum).max() < 1e-6 * np.sqrt(2 * 33.0 * scale)


def test_the_joint_of_a_body_has_no_bending_stiffness_and_its_own_friction():
    chain = AngleChain(n=3, length=2.0, mass=2.0, last_link=0.3, bending=15.0, end_damping=10.0)
    x = chain.straight(jnp.array([1.0, 0.0, 0.0]))
    bent = {**x, "angle": x["angle"].at[0, 2].add(0.3)}
    turning = {**x, "rate": x["rate"].at[0, 2].set(2.0)}

    @jax.jit
    def felt(x):
        s, none = chain.shape(x), ChainLoads(jnp.zeros(3))
        return chain.acting(s, none), s.v, chain.power(x, none)["damping"]

    still, _, _ = felt(bent)
    np.testing.assert_allclose(still, 0.0, atol=1e-12)
    force, v, power = felt(turning)
    np.testing.assert_allclose(np.sum(force * v), -10.0 * 2.0**2, rtol=1e-12)
    assert float(power) == pytest.approx(-40.0)
    assert np.linalg.norm(force[:, 1]) > 0  # the rope feels the reaction


def test_a_body_needs_a_link_before_it():
    with pytest.raises(ParameterError, match="separate last link requires at least 2"):
        LinkChain(n=1, length=1.0, mass=1.0, last_link=0.1)
