"""Pitt and Peters' wake: its rest, its time constants, its skew."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import PittPeters

WAKE, R, RHO = PittPeters(), 5.0, 1.225
AREA = np.pi * R**2


def rate(x, thrust=0.0, lever=(0.0, 0.0), stream=(0.0, 0.0, 0.0)):
    args = (jnp.asarray(v, float) for v in (x, thrust, lever, stream))
    return WAKE.rate(*args, R, RHO)


def test_in_hover_it_rests_at_momentum_theory():
    v = 8.0
    np.testing.assert_allclose(rate([v, 0, 0], 2 * RHO * AREA * v**2), 0.0, atol=1e-9)
    # and a gradient that local momentum balances: lever = rho A R V_m g / 2 with V_m = 2 v
    g = 0.3
    np.testing.assert_allclose(
        rate([v, 0, g], 2 * RHO * AREA * v**2, (0.0, RHO * AREA * R * 2 * v * g / 2)), 0.0, atol=1e-9
    )


def test_time_constants_in_hover_are_those_of_the_apparent_mass():
    v = 8.0
    J = np.asarray(jax.jacobian(lambda x: rate(x, 2 * RHO * AREA * v**2))(jnp.array([v, 0.0, 0.0])))
    # uniform: d/dv of 2 v^2 over 8 R / 3 pi; gradients: V_m / 2 over 16 R / 45 pi
    np.testing.assert_allclose(np.diag(J)[0], -4 * v / (8 / (3 * np.pi) * R), rtol=1e-6)
    np.testing.assert_allclose(np.diag(J)[1:], -v / (16 / (45 * np.pi) * R), rtol=1e-6)


def test_a_skewed_wake_has_more_inflow_behind_by_the_published_gain():
    v, V = 2.0, 30.0
    total = np.hypot(V, v)
    half = np.sqrt((1 - v / total) / (1 + v / total))
    g = 15 * np.pi / 32 * half * v * total / ((V**2 + v * (2 * v)) / total)
    for angle in (0.0, 1.0, 2.5):
        d = np.array([np.cos(angle), np.sin(angle)])  # downstream
        got = rate([v, *(g * d)], 2 * RHO * AREA * v * total, (0, 0), [*(V * d), 0.0])
        # at rest in the uniform part up to the coupling back, exactly in the gradient
        np.testing.assert_allclose(got[1:], 0.0, atol=0.05 * g * V / R)


def test_the_induced_velocity_is_linear_across_the_disc():
    places = jnp.array([[5.0, 0.0, 0.0], [0.0, -2.5, 0.0]])
    np.testing.assert_allclose(WAKE.velocity(jnp.array([8.0, 1.0, 2.0]), places, R), [9.0, 7.0])
    assert WAKE.init().shape == (3,)


def test_it_settles_from_rest_without_a_number_that_is_not_finite():
    assert np.all(np.isfinite(rate([0.0, 0.0, 0.0], 100.0)))
    assert float(rate([0.0, 0.0, 0.0], 100.0)[0]) == pytest.approx(100 / (RHO * AREA) / (8 / (3 * np.pi) * R))


def test_the_rate_is_the_published_one_with_gains_in_wind_axes():
    """Gains, apparent masses and mass flow written out as matrices, in the direction of the wind."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        x, stream = rng.uniform(1.0, 6.0, 3), rng.uniform(-20.0, 20.0, 3)
        thrust, lever = rng.uniform(1e3, 1e4), rng.uniform(-1e3, 1e3, 2)
        across, down = np.hypot(stream[0], stream[1]), x[0] - stream[2]
        chi, total = np.arctan2(across, abs(down)), np.hypot(across, down)
        c, s, k = np.cos(chi), 15 * np.pi / 64 * np.tan(chi / 2), stream[:2] / across
        gains = np.array([[0.5, -s, 0], [s, 4 * c / (1 + c), 0], [0, 0, 4 / (1 + c)]])
        turn = np.array([[1, 0, 0], [0, k[0], k[1]], [0, -k[1], k[0]]])  # to axes downstream and across
        flow = np.diag([total, *[(across**2 + down * (down + x[0])) / total] * 2])
        mass = np.diag([8 / (3 * np.pi), 16 / (45 * np.pi), 16 / (45 * np.pi)])
        loads = np.array([thrust, *lever / R]) / (RHO * AREA)
        drawn = turn.T @ flow @ np.linalg.solve(gains, turn @ x)
        np.testing.assert_allclose(
            rate(x, thrust, lever, stream), np.linalg.solve(mass * R, loads - drawn), rtol=1e-9
        )


def test_in_hover_it_has_a_finite_slope_in_the_wind():
    slope = jax.jacobian(lambda wind: rate([8.0, 0.3, 0.2], 1e4, stream=wind))(jnp.zeros(3))
    assert np.all(np.isfinite(slope))
