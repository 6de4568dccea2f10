"""Momentum against blade: what each form balances, and how surely the iteration arrives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import inflow


def flow(n=400, **fixed):
    """States of an element at random, climbing, descending, across, lifting and pushing down."""
    rng = np.random.default_rng(1)
    draw = {
        "v2": rng.uniform(1.0, 250.0, n),
        "climb": rng.uniform(-30.0, 30.0, n),
        "across": rng.uniform(0.0, 60.0, n),
        "pitch": rng.uniform(-0.4, 0.4, n),
        "slope": rng.uniform(3.0, 8.0, n),
        "offset": rng.uniform(-0.1, 0.3, n),
        "chord": rng.uniform(0.05, 0.4, n),
        "r": rng.uniform(0.3, 2.9, n),
    }
    return inflow.ElementFlow(
        **{name: jnp.broadcast_to(jnp.asarray(fixed.get(name, v), float), n) for name, v in draw.items()}
    )


def test_the_closed_form_balances_momentum_and_blade_force_of_small_angles():
    f = flow(climb=2.0, pitch=0.15, offset=0.2)
    v = inflow.closed_form_inflow(f, 4)
    momentum = 4 * np.pi * f.r * (f.climb + v) * v
    lift = f.offset + f.slope * (f.pitch - (f.climb + v) / f.v2)
    blade = 0.5 * 4 * f.chord * f.v2**2 * lift
    np.testing.assert_allclose(momentum, blade, rtol=1e-9, atol=1e-9)


def test_the_published_form_equals_one_blade_with_the_element_at_the_tip():
    f = flow(climb=1.0, pitch=0.15, offset=0.0, r=3.0)
    np.testing.assert_allclose(
        inflow.published_inflow(f, 3.0), inflow.closed_form_inflow(f, 1), rtol=1e-10, atol=1e-12
    )


def test_the_iteration_arrives_wherever_it_starts():
    # any state, losses included: the bracket always holds a root
    v, residual = jax.jit(lambda f: inflow.solve(f, 4, 0.2, 3.0, 40))(flow())
    assert np.all(np.isfinite(v))
    assert float(np.max(residual)) < 1e-9
    # and fast where the rotor lifts and climbs
    solved = jax.jit(lambda f, steps: inflow.solve(f, 4, 0.2, 3.0, steps)[1])
    fast = [float(np.max(solved(flow(climb=3.0, pitch=0.2, v2=150.0), steps))) for steps in range(8, 40)]
    assert max(fast) < 1e-10  # and it stays where it has arrived


def test_it_tends_to_the_closed_form_for_small_angles():
    f = flow(climb=0.5, pitch=0.01, offset=0.0, across=0.0, v2=100.0, slope=6.0)
    v, _ = inflow.solve(f, 4, None, 3.0, 12)
    np.testing.assert_allclose(
        v, inflow.closed_form_inflow(f, 4), rtol=2e-3
    )  # angles of 0.01: their square and some


def test_its_derivative_is_that_of_the_implicit_function():
    def mean(pitch):
        return jnp.mean(inflow.solve(flow(8, climb=1.0, pitch=pitch, v2=80.0), 4, 0.2, 3.0, 20)[0])

    slope, mean = jax.jit(jax.grad(mean))(0.2), jax.jit(mean)
    assert float(slope) == pytest.approx(float((mean(0.2 + 1e-5) - mean(0.2 - 1e-5)) / 2e-5), rel=1e-6)


def test_the_loss_factor_is_one_inside_and_vanishes_at_both_ends():
    r = jnp.array([0.2 + 1e-9, 1.5, 3.0 - 1e-9])
    np.testing.assert_allclose(inflow.prandtl(r, jnp.full(3, 0.03), 4, 0.2, 3.0), [0.0, 1.0, 0.0], atol=1e-3)
