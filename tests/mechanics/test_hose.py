import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow
from dovetail.core.methods.rolled import rolled
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics.hose import Hose

BARE = Hose(links=4, length=6.0, shrink="uniform", modulus=0.0, joint_friction=0.0, aero_moment=0.0)
KEYS = jax.random.split(jax.random.key(0), 4)
ANGLES = jax.random.uniform(KEYS[0], (2, 5), minval=-0.6, maxval=0.6)
RATES = jax.random.normal(KEYS[1], (2, 5))
FORCE = 100 * jax.random.normal(KEYS[2], (3, 5))
STILL = (jnp.zeros(()), None)


@eqx.filter_jit
def solve(hose, angles, rates, s, s_rate, force, drive, held=None):
    m = hose.motion(angles, rates, s, s_rate)
    return m, hose.solve(m, force, drive, held=held)


motion = eqx.filter_jit(Hose.motion)


def test_published_masses_and_stiffness():
    hose = Hose()
    m = motion(hose, jnp.zeros((2, 20)), jnp.zeros((2, 20)))
    np.testing.assert_allclose(np.sum(m.mass[:-1]), 110.43, rtol=1e-4)
    np.testing.assert_allclose(m.mass[0], 5.8121, rtol=1e-5)
    np.testing.assert_allclose(hose.bending_stiffness, 15.2026, rtol=1e-5)
    np.testing.assert_allclose(hose.drogue_force(jnp.array([200.0, 0, 0]), 0.525)[0], -2451.65, rtol=1e-5)


def test_angular_accelerations_are_lagrange_s():
    """Against the Lagrangian of the masses at a fixed length, by automatic differentiation."""
    m, solved = solve(BARE, ANGLES, RATES, 0.0, 0.0, FORCE, STILL)

    def places(q):
        return BARE.motion(q.reshape(2, 5), jnp.zeros((2, 5))).r[:, 1:]

    def kinetic(q, v):
        return 0.5 * jnp.sum(m.mass * jax.jvp(places, (q,), (v,))[1] ** 2)

    @jax.jit
    def terms(q, v):
        push = jax.vjp(places, q)[1](FORCE)[0]
        bias = jax.jvp(lambda q: jax.grad(kinetic, 1)(q, v), (q,), (v,))[1] - jax.grad(kinetic)(q, v)
        return jax.hessian(kinetic, 1)(q, v), push, bias

    M, push, bias = terms(ANGLES.ravel(), RATES.ravel())
    np.testing.assert_allclose(solved.angles.ravel(), np.linalg.solve(M, push - bias), rtol=1e-9, atol=1e-9)


def test_tensions_satisfy_newton_at_every_mass():
    m, solved = solve(BARE, ANGLES, RATES, 0.3, 0.7, FORCE, (jnp.asarray(1.2), None))
    along = solved.tension * m.n
    below = np.concatenate([along[:, 1:], np.zeros((3, 1))], axis=1)
    np.testing.assert_allclose(m.mass * solved.acceleration, FORCE + along - below, atol=1e-9)


@pytest.mark.parametrize("shrink", ["uniform", "sequential"])
def test_accelerations_agree_with_the_changing_lengths(shrink):
    hose = dataclasses.replace(BARE, shrink=shrink)
    m, solved = solve(hose, ANGLES, RATES, 1.45, 0.7, FORCE, (jnp.asarray(1.2), None))
    relative = np.diff(np.concatenate([np.zeros((3, 1)), solved.acceleration], axis=1))
    l_rate2 = m.bend + m.by_reel * solved.reel
    wanted = m.l * np.sum(m.turn**2, axis=0) - l_rate2
    np.testing.assert_allclose(np.sum(relative * m.n, axis=0), wanted, rtol=1e-9, atol=1e-9)


def test_the_drum_feels_the_first_tension():
    _, solved = solve(BARE, ANGLES, RATES, 0.3, 0.7, FORCE, (jnp.asarray(500.0), jnp.asarray(100.0)))
    np.testing.assert_allclose(100.0 * solved.reel, 500.0 - solved.tension[0], rtol=1e-12)


def test_latched_ball_joint_moves_as_it_is_told():
    held = jnp.array([1.0, -2.0, 3.0])
    _, solved = solve(BARE, ANGLES, RATES, 0.0, 0.0, FORCE, STILL, held)
    np.testing.assert_allclose(solved.acceleration[:, -2], held, atol=1e-10)


def _audit(transfer):
    """Momentum made by the exchange of mass [N]: forces, less what leaves with the drum's velocity."""
    hose = dataclasses.replace(BARE, transfer=transfer)

    @jax.jit
    def exchanged():
        m = hose.motion(ANGLES, RATES, 0.3, 0.7)
        return m, hose.exchange(m)[0]

    m, force = jax.tree.map(np.asarray, exchanged())
    loss = -hose.specific_mass * m.l_rate[0]
    change = np.sum(force, axis=1) - loss * np.sum(m.v[:, 1:-1], axis=1)
    leaves = hose.links * loss * m.s_rate * hose.duct
    extra = sum((5 - k) * (m.v[:, k] - m.v[:, k - 1]) * loss for k in range(2, 5))
    return change + leaves, extra


def test_consistent_mass_transfer_keeps_momentum_and_the_printed_one_counts_packets_twice():
    np.testing.assert_allclose(_audit("consistent")[0], 0.0, atol=1e-12)
    made, extra = _audit("printed")
    np.testing.assert_allclose(made, extra, rtol=1e-12)
    assert np.linalg.norm(made) > 0.1


def test_hose_that_slides_past_nodes_has_its_full_inertia():
    """Straight pull: every kilogram of hose is accelerated with the reel, not in proportion to its node."""
    hose = dataclasses.replace(BARE, transfer="sliding")
    flat, zero = jnp.zeros((2, 5)), jnp.zeros((3, 5))
    _, solved = solve(hose, flat, flat, 0.0, 0.0, zero, (jnp.asarray(2.0), None))
    total = 6.0 * 4.09 + 17.91
    np.testing.assert_allclose(solved.tension[0], 2.0 * total, rtol=1e-12)
    printed = dataclasses.replace(BARE, transfer="printed")
    _, solved = solve(printed, flat, flat, 0.0, 0.0, zero, (jnp.asarray(2.0), None))
    np.testing.assert_allclose(solved.tension[0], 2.0 * (6.0 * 4.09 * 5 / 8 + 17.91), rtol=1e-12)


def test_a_free_swing_keeps_its_energy():
    hose = dataclasses.replace(BARE, tow_point=(0.0, 0.0, 0.0))

    class Swing(Flow):
        def init(self):
            return 0.7 + 0.3 * ANGLES, jnp.zeros((2, 5))

        def derivative(self, t, x, u):
            m = hose.motion(*x)
            weight = m.mass * 9.81 * jnp.array([0.0, 0.0, 1.0])[:, None]
            return x[1], hose.solve(m, weight, STILL).angles

        def output(self, t, x, u):
            m = hose.motion(*x)
            kinetic = hose.kinetic_energy(m)
            return kinetic - jnp.sum(m.mass * 9.81 * m.r[2, 1:]), kinetic

    @jax.jit
    def swing():
        def step(x, _):
            return rolled(RK4()).step(Swing(), 0.0, 5e-4, x, None, ())[0], None

        x = Swing().init()
        end = jax.lax.scan(step, x, None, length=2000)[0]
        return Swing().output(0.0, x, None)[0], *Swing().output(0.0, end, None)

    before, after, kinetic = swing()
    assert abs(after - before) < 1e-6 * kinetic


def test_a_wrench_on_the_drogue_is_a_force_at_the_ball_joint_and_a_couple():
    wrench = jnp.array([10.0, -20.0, 30.0, 5.0, -40.0, 25.0])
    m = motion(BARE, ANGLES, RATES)
    force = BARE.contact(m, wrench)
    R = geometry.rotation(ANGLES[:, -1])
    np.testing.assert_allclose(np.sum(force, axis=1), R @ wrench[:3], atol=1e-12)
    moment = np.cross(m.r[:, -1] - m.r[:, -2], force[:, -1])
    np.testing.assert_allclose(R.T @ moment, [0.0, -40.0, 25.0], atol=1e-12)
