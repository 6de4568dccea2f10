"""A prescribed sine: its speed, its smooth start, its deafness to force."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics import PrescribedSine

SINE = PrescribedSine(amplitude=0.01, frequency=3.5, fade_in_time=0.5)


def shown(t, force=0.0):
    return SINE.output(t, (), {"excitation": 0.0, "excitation_rate": 0.0, "force": force})


def test_peak_speed_is_that_of_the_sine_after_the_fade():
    t = jnp.linspace(1.0, 2.0, 2001)
    motion = jax.jit(jax.vmap(shown))(t)
    omega = 2 * np.pi * 3.5
    assert float(motion["velocity"].max()) == pytest.approx(0.01 * omega, rel=1e-5)
    np.testing.assert_allclose(motion["acceleration"], -(omega**2) * motion["displacement"], atol=1e-10)


def test_it_starts_from_rest_without_a_step_in_speed_or_acceleration():
    motion = shown(0.0)
    assert [float(motion[n]) for n in ("displacement", "velocity", "acceleration")] == [0.0, 0.0, 0.0]
    before, after = shown(0.5 - 1e-6), shown(0.5 + 1e-6)
    assert float(before["acceleration"]) == pytest.approx(float(after["acceleration"]), abs=1e-3)


def test_force_does_not_move_it():
    assert float(shown(0.7, force=1e6)["displacement"]) == float(shown(0.7)["displacement"])
