"""Phase advance."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import ForwardPrediction, PhaseAdvance
from dovetail.core.errors import ParameterError

CROSSOVER = 44.7  # [rad/s] of the published example


def run(compensator, samples, dt=1e-3):
    def tick(state, z):
        state, out = compensator.step(0.0, dt, state, {"displacement": z})
        return state, out["command"]

    return np.asarray(jax.lax.scan(tick, compensator.init(), jnp.asarray(samples))[1])


@pytest.mark.parametrize(("alpha", "degrees"), [(1.5, 22.6), (2.0, 36.9), (2.414, 45.0)])
def test_lead_and_gain_at_the_crossover_are_exact_at_any_rate(alpha, degrees):
    for dt in (1e-3, 1e-2):
        response = complex(PhaseAdvance(alpha, CROSSOVER).response(CROSSOVER, dt))
        assert np.degrees(np.angle(response)) == pytest.approx(degrees, abs=0.05)  # printed to a tenth
        assert abs(response) == pytest.approx(alpha, rel=1e-12)


@pytest.mark.parametrize("omega", [5.0, 20.0, 100.0])
def test_away_from_the_crossover_it_follows_the_continuous_law(omega):
    s, alpha = 1j * omega, 1.5
    exact = (alpha * s + CROSSOVER) / (s / alpha + CROSSOVER)
    # the bilinear rule bends frequency by (omega dt)^2 / 12
    assert complex(PhaseAdvance(alpha, CROSSOVER).response(omega, 1e-3)) == pytest.approx(exact, rel=1e-3)


def test_a_long_sine_equals_the_frequency_response():
    compensator, w = PhaseAdvance(1.5, CROSSOVER, compensator=ForwardPrediction(9.4e-3)), 2 * np.pi * 7.0
    t = 1e-3 * np.arange(3000)
    command = run(compensator, np.sin(w * t))[2000:]
    response = complex(compensator.response(w, 1e-3))
    assert command == pytest.approx(np.abs(response) * np.sin(w * t[2000:] + np.angle(response)), abs=1e-9)


def test_zero_phase_advance_changes_nothing():
    samples = np.sin(0.1 * np.arange(50))
    assert run(PhaseAdvance(1.0, CROSSOVER), samples) == pytest.approx(samples, abs=1e-14)


def test_it_can_be_batched_over_and_differentiated():
    def gain(alpha):
        return jnp.abs(PhaseAdvance(alpha, CROSSOVER).response(CROSSOVER, 1e-3))

    assert jax.vmap(jax.grad(gain))(jnp.array([1.2, 1.8])) == pytest.approx([1.0, 1.0])


def test_a_lag_is_rejected():
    with pytest.raises(ParameterError, match=r"PhaseAdvance.alpha: got 0.9; must be at least 1"):
        PhaseAdvance(0.9, CROSSOVER)
