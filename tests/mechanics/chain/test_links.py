"""Inextensible links: held lengths, conserved energy, rods exactly, ends held, length as data, impulses."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, linearise
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import ChainLoads, LinkChain

G = jnp.array([0.0, 0.0, -9.81])
DIAGONAL = jnp.array([1.0, 1.0, 0.0]) / jnp.sqrt(2.0)


solve = eqx.filter_jit(LinkChain.solve)
impulse = eqx.filter_jit(LinkChain.impulse)


def integrate(chain, x, loads, h, steps):
    """State after so many steps of RK4; loads are a function of time."""
    method = with_stage_loop(RK4())

    @jax.jit
    def run(x):
        def one(x, k):
            t = k * h
            flow = _Timed(chain, loads)
            return method.step(flow, t, h, x, None, ())[0], None

        return jax.lax.scan(one, x, jnp.arange(steps))[0]

    return run(x)


@dataclasses.dataclass(frozen=True)
class _Timed:
    chain: LinkChain
    loads: object
    large = False

    def derivative(self, t, x, u):
        return self.chain.derivative(t, x, self.loads(t))


@jax.jit
def total_energy(chain, x):
    return sum(chain.energies(x).values()) - G @ chain.mass_moments(x)[0]


@pytest.mark.parametrize(
    "distribution",
    ["half", pytest.param("end", marks=pytest.mark.slow), pytest.param("rod", marks=pytest.mark.slow)],
)
def test_a_swinging_chain_conserves_energy_and_link_lengths(distribution):
    chain = LinkChain(n=12, length=10.0, mass=10.0, tip_mass=1.0, bending=0.5, distribution=distribution)
    start = chain.straight(DIAGONAL)
    end = integrate(chain, start, lambda t: ChainLoads(field=G), 1e-3, 2000)
    kinetic = float(chain.energies(end)["kinetic"])
    assert kinetic > 50.0
    assert float(total_energy(chain, end)) == pytest.approx(
        float(total_energy(chain, start)), abs=1e-6 * kinetic
    )
    assert float(jnp.abs(chain.stretch(end)).max()) < 1e-8


def test_accelerations_satisfy_newtons_law_and_the_constraints_solved_densely():
    rng = np.random.default_rng(1)
    n = 7
    chain = LinkChain(n=n, length=7.0, mass=3.0, tip_mass=0.4, distribution="rod", drift_rate=0.0)
    u = rng.normal(size=(3, n))
    u /= np.linalg.norm(u, axis=0)
    w = rng.normal(size=(3, n))
    w -= u * (u * w).sum(0)
    x = {"position": jnp.array(np.cumsum(u, 1)), "velocity": jnp.array(np.cumsum(w, 1))}
    force = rng.normal(size=(3, n + 1))
    solved = solve(chain, 0.0, x, ChainLoads(field=G, node=jnp.array(force)))
    # consistent mass matrix of thin rods, Lagrange multipliers, one dense solve
    m = 3.0 / n
    M = np.zeros((n, n))
    for k in range(n):
        M[k, k] += m / 3
        if k:
            M[k - 1, k - 1] += m / 3
            M[k, k - 1] += m / 6
            M[k - 1, k] += m / 6
    M[-1, -1] += 0.4
    weight = np.full(n, m)
    weight[-1] = m / 2 + 0.4
    A = np.zeros((4 * n, 4 * n))
    b = np.zeros(4 * n)
    for i in range(3):
        A[i * n : (i + 1) * n, i * n : (i + 1) * n] = M
        b[i * n : (i + 1) * n] = force[i, 1:] + weight * float(G[i])
    for k in range(n):
        for i in range(3):
            A[3 * n + k, i * n + k] = A[i * n + k, 3 * n + k] = u[i, k]
            if k:
                A[3 * n + k, i * n + k - 1] = A[i * n + k - 1, 3 * n + k] = -u[i, k]
        b[3 * n + k] = -(w[:, k] ** 2).sum()
    expected = np.linalg.solve(A, b)
    np.testing.assert_allclose(solved.acceleration[:, 1:], expected[: 3 * n].reshape(3, n), atol=1e-10)
    np.testing.assert_allclose(solved.tension, expected[3 * n :], atol=1e-9)


def test_root_reaction_and_tension_carry_the_weight_of_a_hanging_chain():
    chain = LinkChain(n=5, length=5.0, mass=10.0, tip_mass=3.0)
    solved = solve(chain, 0.0, chain.straight(jnp.array([0.0, 0.0, -1.0])), ChainLoads(field=G))
    np.testing.assert_allclose(solved.reaction, 13 * np.asarray(G), atol=1e-10)
    np.testing.assert_allclose(solved.tension, 9.81 * (3 + 2 * np.arange(5)[::-1] + 1), rtol=1e-12)


def test_no_orientation_is_singular():
    chain = LinkChain(n=6, length=6.0, mass=6.0, bending=1.0, joint_damping=0.1)
    derivative = jax.jit(lambda x: chain.derivative(0.0, x, ChainLoads(field=G)))
    for direction in np.eye(3):
        rate = derivative(chain.straight(jnp.array(direction)))
        assert np.isfinite(np.asarray(rate["velocity"])).all()


def test_the_solution_turns_with_the_axes():
    chain = LinkChain(n=6, length=6.0, mass=6.0, bending=2.0, joint_damping=0.3)
    rng = np.random.default_rng(5)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    u = rng.normal(size=(3, 6)) + np.array([0.0, 2.0, 0.0])[:, None]
    u /= np.linalg.norm(u, axis=0)
    x = {"position": jnp.array(np.cumsum(u, 1)), "velocity": jnp.array(rng.normal(size=(3, 6)))}
    turned = {name: jnp.array(turn) @ value for name, value in x.items()}
    a = solve(chain, 0.0, x, ChainLoads(field=G)).acceleration
    b = solve(chain, 0.0, turned, ChainLoads(field=jnp.array(turn) @ G)).acceleration
    np.testing.assert_allclose(turn @ np.asarray(a), b, atol=1e-10)


def test_friction_dissipates_exactly_the_lost_energy():
    chain = LinkChain(n=8, length=8.0, mass=8.0, bending=5.0, joint_damping=2.0, mass_damping=0.05)
    x = chain.straight(DIAGONAL)
    u = ChainLoads(field=G)

    @jax.jit
    def run(x):
        def one(carry, _):
            x, work = carry
            new = with_stage_loop(RK4()).step(chain, 0.0, 1e-3, x, u, ())[0]
            middle = 0.5 * (chain.power(x, u)["damping"] + chain.power(new, u)["damping"])
            return (new, work + 1e-3 * middle), None

        return jax.lax.scan(one, (x, 0.0), None, length=1500)[0]

    end, work = run(x)
    assert float(work) < -5.0
    # the trapezoidal rule of the work, second order in the step, is the larger error
    change = total_energy(chain, end) - total_energy(chain, x)
    assert float(change) == pytest.approx(float(work), rel=1e-4)


def test_a_chain_with_both_ends_fixed_settles_in_a_catenary():
    n, span, length = 24, 6.0, 10.0
    chain = LinkChain(n=n, length=length, mass=10.0, tip="prescribed", mass_damping=2.0, joint_damping=0.05)
    half = np.sqrt((length / 2) ** 2 - (span / 2) ** 2)
    s = np.arange(1, n + 1) / n
    shape = np.stack([span * s, 0 * s, -half * (1 - np.abs(2 * s - 1))])
    x = integrate(
        chain,
        chain.rest_state_through(jnp.array(shape)),
        lambda t: ChainLoads(field=G, tip_acceleration=jnp.zeros(3)),
        2e-3,
        8000,
    )
    # L = 2 a sinh(span / 2a)
    from scipy.optimize import brentq

    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - length, 0.5, 50)
    sag = a * (np.cosh(span / (2 * a)) - 1)
    assert -float(x["position"][2].min()) == pytest.approx(sag, rel=3e-3)  # 24 links
    np.testing.assert_allclose(x["position"][:, -1], [span, 0, 0], atol=1e-6)
    tension = solve(chain, 0.0, x, ChainLoads(field=G, tip_acceleration=jnp.zeros(3))).tension
    assert float(tension.min()) == pytest.approx(1.0 * 9.81 * a, rel=1e-2)  # horizontal pull: density g a


def test_a_spinning_chain_that_is_reeled_in_conserves_angular_momentum():
    # one link with its mass at the end: a point on a string drawn in, r^2 omega constant
    chain = LinkChain(n=1, length=2.0, mass=1e-9, tip_mass=1.0)
    x = {"position": jnp.array([[2.0], [0.0], [0.0]]), "velocity": jnp.array([[0.0], [1.0], [0.0]])}

    def loads(t):
        return ChainLoads(field=jnp.zeros(3), length=jnp.array([2.0 - 0.1 * t**2, -0.2 * t, -0.2]))

    x = integrate(chain, x, loads, 1e-3, 2000)
    p, v = np.asarray(x["position"])[:, 0], np.asarray(x["velocity"])[:, 0]
    assert np.linalg.norm(p) == pytest.approx(1.6, rel=1e-6)
    assert p[0] * v[1] - p[1] * v[0] == pytest.approx(2.0, rel=1e-6)


def test_paying_out_a_straight_rope_pulls_like_the_mass_that_is_set_in_motion():
    # a straight rope that leaves the drum at constant speed needs no force along itself: no acceleration anywhere
    chain = LinkChain(n=6, length=6.0, mass=6.0)
    x = {"position": jnp.arange(1.0, 7.0) * jnp.array([[1.0], [0.0], [0.0]])}
    x["velocity"] = x["position"] / 6.0 * 3.0  # the tip leaves at 3 m/s, nodes in proportion
    steady = solve(chain, 0.0, x, ChainLoads(field=jnp.zeros(3), length=jnp.array([6.0, 3.0, 0.0])))
    np.testing.assert_allclose(steady.tension, 0.0, atol=1e-10)
    # paid out faster and faster, all of the rope has the acceleration of the drum
    drawn = solve(chain, 0.0, x, ChainLoads(field=jnp.zeros(3), length=jnp.array([6.0, 3.0, -1.0])))
    np.testing.assert_allclose(drawn.tension, 0.5 + np.arange(6)[::-1], atol=1e-9)


def test_a_lateral_impulse_moves_the_tip_and_an_axial_one_does_not():
    chain = LinkChain(n=4, length=4.0, mass=4.0, tip_mass=2.0)
    x = chain.straight(jnp.array([0.0, 0.0, -1.0]))
    after = impulse(chain, x, jnp.zeros((3, 4)).at[:, -1].set(jnp.array([6.0, 0.0, 5.0])))
    np.testing.assert_allclose(after["velocity"][:, -1], [6.0 / 2.5, 0.0, 0.0], atol=1e-12)  # axial part held


def test_a_separate_last_link_keeps_its_length_during_reeling():
    chain = LinkChain(n=5, length=8.0, mass=8.0, last_link=2.0)
    l = chain.lengths(jnp.array([6.0, -1.0, 0.0]))
    np.testing.assert_allclose(l[0], [1.5, 1.5, 1.5, 1.5, 2.0])
    np.testing.assert_allclose(l[1], [-0.25, -0.25, -0.25, -0.25, 0.0])
    np.testing.assert_allclose(chain.masses(l[0])[0], [1.5, 1.5, 1.5, 1.5, 0.0])


def test_one_program_runs_a_batch_and_differentiates_by_its_parameters():
    def tip(mass):
        chain = LinkChain(n=5, length=5.0, mass=mass, tip_mass=1.0, mass_damping=0.1)
        pulled = ChainLoads(field=G, node=jnp.zeros((3, 6)).at[0, 3].set(5.0))
        return chain.derivative(0.0, chain.straight(DIAGONAL), pulled)["velocity"][0, 2]

    tip = jax.jit(tip)
    batch = jax.jit(jax.vmap(tip))(jnp.array([1.0, 2.0, 4.0]))
    slope = jax.jit(jax.grad(tip))(2.0)
    assert float(slope) == pytest.approx(float(tip(2.0 + 1e-5) - tip(2.0 - 1e-5)) / 2e-5, rel=1e-6)
    assert batch[1] == pytest.approx(float(tip(2.0)), rel=1e-12)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("length", 0.0, "above 0 m"),
        ("length", -1.0, "above 0 m"),
        ("mass", 0.0, "above 0 kg"),
        ("n", 0, "at least 1"),
    ],
)
def test_impossible_ropes_are_rejected_with_the_expected_values(field, value, words):
    with pytest.raises(ParameterError, match=words):
        LinkChain(**{"n": 3, "length": 1.0, "mass": 1.0, field: value})


@pytest.mark.slow
def test_rayleigh_damping_gives_each_bending_mode_its_damping_ratio():
    alpha, beta = 0.7, 2e-3
    plain = LinkChain(n=6, length=6.0, mass=6.0, bending=40.0)
    damped = dataclasses.replace(plain, mass_damping=alpha, stiffness_damping=beta)
    x, weightless = plain.straight(jnp.array([0.0, 0.0, -1.0])), ChainLoads(field=jnp.zeros(3))
    free, lost = (np.linalg.eigvals(linearise(c, x, weightless).A) for c in (plain, damped))
    bending = np.unique(np.round(free.imag[(np.abs(free.real) < 1e-6) & (free.imag > 0.5)], 6))
    assert len(bending) == 5  # the sixth is a turn about the support
    for w in bending:  # C = alpha M + beta K: |lambda| stays w, and twice the decay is alpha + beta w^2
        nearest = lost[np.argmin(np.abs(np.abs(lost) - w) + 1e3 * (np.abs(lost.imag) < 1e-9))]
        assert abs(nearest) == pytest.approx(w, rel=1e-5)
        assert -2 * nearest.real == pytest.approx(alpha + beta * w**2, rel=1e-4)
