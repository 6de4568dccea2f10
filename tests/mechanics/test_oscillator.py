"""Mass, damper, spring: equation, energy and symmetry."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core import DormandPrince8, Sampled
from dovetail.mechanics import Oscillator

REST = {"excitation": 0.0, "excitation_rate": 0.0, "force": 0.0}


def run(flow, dt, steps, u=REST):
    block = Sampled(flow, DormandPrince8())
    return jax.lax.scan(lambda x, i: block.step(i * dt, dt, x, u), block.init(), jnp.arange(steps))[1]


def test_energy_is_conserved_without_damping():
    oscillator = Oscillator(m=2.0, c=0.0, k=50.0, z0=0.1)
    shown = run(oscillator, 0.01, 2000)
    energy = 0.5 * 2.0 * shown["velocity"] ** 2 + 0.5 * 50.0 * shown["displacement"] ** 2
    np.testing.assert_allclose(energy, 0.5 * 50.0 * 0.1**2, rtol=1e-12)


def test_motion_agrees_with_scipy_under_force_and_support_motion():
    oscillator = Oscillator(m=2.2, c=15.0, k=2250.0, v0=0.3)
    u = {"excitation": 0.01, "excitation_rate": 0.2, "force": 5.0}
    shown = run(oscillator, 1e-3, 500, u)

    def equation(t, y):
        return [y[1], (5.0 - 15.0 * (y[1] - 0.2) - 2250.0 * (y[0] - 0.01)) / 2.2]

    judge = solve_ivp(equation, (0, 0.5), [0.0, 0.3], rtol=1e-11, atol=1e-13)
    assert shown["displacement"][-1] == pytest.approx(judge.y[0, -1], rel=1e-8)


def test_the_recorded_acceleration_is_the_rate_of_the_velocity():
    oscillator = Oscillator(m=2.2, c=15.0, k=2250.0)
    x = {"z": jnp.array(0.01), "v": jnp.array(0.3)}
    u = {"excitation": 0.0, "excitation_rate": 0.0, "force": 7.0}
    shown = oscillator.output(0.0, x, u)
    assert shown["acceleration"] == oscillator.derivative(0.0, x, u)["v"]
    assert float(shown["acceleration"]) == pytest.approx((7.0 - 15.0 * 0.3 - 2250.0 * 0.01) / 2.2)


def test_moving_with_the_support_needs_no_force():
    """Galilean symmetry: support and mass at the same velocity and offset feel nothing."""
    oscillator = Oscillator(m=2.2, c=15.0, k=2250.0)
    u = {"excitation": 0.4, "excitation_rate": 0.3, "force": 0.0}
    shown = oscillator.output(0.0, {"z": jnp.array(0.4), "v": jnp.array(0.3)}, u)
    assert shown["acceleration"] == 0.0


def test_arrays_are_independent_oscillators():
    both = run(Oscillator(m=[1.0, 2.0], c=[0.1, 0.3], k=[30.0, 40.0], z0=0.1), 0.01, 100)
    one = run(Oscillator(m=2.0, c=0.3, k=40.0, z0=0.1), 0.01, 100)
    assert both["displacement"].shape == (100, 2)
    np.testing.assert_allclose(both["displacement"][:, 1], one["displacement"], rtol=1e-13)
