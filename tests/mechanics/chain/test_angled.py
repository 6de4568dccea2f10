"""Links by their angles: Lagrange's equations, lengths that change, energy kept, an impulse."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import AngleChain, ChainLoads, LinkChain

BARE = AngleChain(
    n=5, length=6.0, mass=24.0, last_link=0.3, tip_mass=17.91, distribution="end", mass_transfer="none"
)
KEYS = jax.random.split(jax.random.key(0), 3)
ANGLES = jax.random.uniform(KEYS[0], (2, 5), minval=-0.6, maxval=0.6) + jnp.array([[1.2], [0.0]])
RATES = jax.random.normal(KEYS[1], (2, 5))
FORCE = 100 * jax.random.normal(KEYS[2], (3, 6))
X = {"angle": ANGLES, "rate": RATES}

solve = eqx.filter_jit(AngleChain.solve)


@pytest.mark.slow
def test_angular_accelerations_are_lagrange_s():
    """Against the Lagrangian of the masses at a fixed length, by automatic differentiation."""
    solved = solve(BARE, 0.0, X, ChainLoads(jnp.zeros(3), node=FORCE))
    mass = BARE.masses(BARE.lengths()[0])[1]

    def places(q):
        return BARE.nodes({"angle": q.reshape(2, 5), "rate": jnp.zeros((2, 5))}).position[:, 1:]

    def kinetic(q, v):
        return 0.5 * jnp.sum(mass * jax.jvp(places, (q,), (v,))[1] ** 2)

    @jax.jit
    def terms(q, v):
        push = jax.vjp(places, q)[1](FORCE[:, 1:])[0]
        bias = jax.jvp(lambda q: jax.grad(kinetic, 1)(q, v), (q,), (v,))[1] - jax.grad(kinetic)(q, v)
        return jax.hessian(kinetic, 1)(q, v), push, bias

    M, push, bias = terms(ANGLES.ravel(), RATES.ravel())
    expected = np.linalg.solve(M, push - bias)
    np.testing.assert_allclose(solved.rate["rate"].ravel(), expected, rtol=1e-9, atol=1e-9)


def test_accelerations_agree_with_the_changing_lengths():
    length = (5.7, -0.7, -1.2)
    solved = solve(BARE, 0.0, X, ChainLoads(jnp.zeros(3), node=FORCE, length=length))
    s = jax.jit(lambda: BARE.shape(X, length))()
    relative = np.diff(solved.acceleration, axis=1)
    wanted = s.l[2] - s.l[0] * np.sum(s.turn**2, axis=0)
    np.testing.assert_allclose(np.sum(relative * s.n, axis=0), wanted, rtol=1e-9, atol=1e-9)


def test_a_free_swing_conserves_energy():
    loads = ChainLoads(9.81 * jnp.array([0.0, 0.0, -1.0]))

    @jax.jit
    def swing():
        def step(x, _):
            return with_stage_loop(RK4()).step(BARE, 0.0, 5e-4, x, loads, ())[0], None

        def energy(x):
            kinetic = BARE.energies(x)["kinetic"]
            return kinetic - loads.field @ BARE.mass_moments(x)[0], kinetic

        x = {"angle": 0.7 + 0.3 * ANGLES, "rate": jnp.zeros((2, 5))}
        end = jax.lax.scan(step, x, None, length=2000)[0]
        return energy(x)[0], *energy(end)

    before, after, kinetic = swing()
    assert abs(after - before) < 1e-6 * kinetic


def test_an_impulse_moves_it_as_it_moves_links():
    same = {"n": 5, "length": 6.0, "mass": 24.0, "last_link": 0.3, "tip_mass": 17.91, "distribution": "end"}
    links = LinkChain(**same)
    nodes = BARE.nodes(X)
    placed = {"position": nodes.position[:, 1:], "velocity": nodes.velocity[:, 1:]}
    push = FORCE[:, 1:]
    ours, theirs = jax.jit(lambda: (BARE.impulse(X, push), links.impulse(placed, push)))()
    np.testing.assert_allclose(BARE.nodes(ours).velocity[:, 1:], theirs["velocity"], atol=1e-9)
