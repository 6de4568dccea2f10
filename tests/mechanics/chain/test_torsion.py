"""Twist: frequencies of a bar, the balance of its torques, and its energy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain.torsion import STILL, TwistLine

LINE = TwistLine(n=40, stiffness=3.0, inertia=2e-4)
LENGTH = 5.0  # [m]


def frequencies(end):
    def rate(twist):
        return LINE.rate({"twist": twist, "twist_rate": jnp.zeros(39)}, LENGTH, end)["twist_rate"]

    return np.sqrt(np.sort(-np.linalg.eigvals(np.asarray(jax.jacfwd(rate)(jnp.zeros(39)))).real))


def test_a_rope_fixed_at_both_ends_has_the_torsion_frequencies_of_a_bar():
    exact = np.arange(1, 4) * np.pi / LENGTH * np.sqrt(3.0 / 2e-4)
    np.testing.assert_allclose(frequencies(STILL)[:3], exact, rtol=3e-3)  # (k pi / 2 n)^2 / 6 low


def test_with_a_free_end_it_has_the_odd_quarter_waves():
    exact = np.array([0.5, 1.5]) * np.pi / LENGTH * np.sqrt(3.0 / 2e-4)
    np.testing.assert_allclose(
        frequencies(None)[:2], exact, rtol=2e-2
    )  # the free piece is rigid: half of 1/n


def test_a_turned_end_twists_it_evenly():
    even = {"twist": jnp.arange(1, 40) / 40 * 0.8, "twist_rate": jnp.zeros(39)}
    np.testing.assert_allclose(LINE.torques(even, LENGTH, (0.8, 0.0)), 3.0 * 0.8 / LENGTH)
    np.testing.assert_allclose(LINE.rate(even, LENGTH, (0.8, 0.0))["twist_rate"], 0.0, atol=1e-9)


def test_only_friction_dissipates_energy():
    state = {"twist": jnp.sin(jnp.arange(39.0)), "twist_rate": jnp.cos(jnp.arange(39.0))}

    def power(line):
        return jax.jvp(lambda x: line.energy(x, LENGTH, STILL), (state,), (line.rate(state, LENGTH, STILL),))[
            1
        ]

    assert float(power(LINE)) == pytest.approx(0.0, abs=1e-9)
    assert float(power(TwistLine(n=40, stiffness=3.0, inertia=2e-4, damping=1e-3))) < -1e-3
