"""The validation rig's statistics and identification, on small batches; the whole matrix is slow."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.studies.refuelling import validation
from dovetail.studies.refuelling.hung_drogue import HungDrogue


def test_spread_is_the_mean_euclidean_standard_deviation():
    values = np.random.default_rng(0).standard_normal((4000, 5, 2))
    assert validation.spread(values) == pytest.approx(np.sqrt(2), rel=0.02)


def test_draws_repeat_and_have_their_size():
    one, two = (validation.draws(validation.FULL_SPEED_SCATTER, 2000, 7) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert one[:, 0].std() == pytest.approx(2.5e-3, rel=0.05)


def test_the_spectrum_shows_a_tone_and_its_attenuation():
    t = 1e-3 * np.arange(2000)
    decay = np.stack([np.exp(-a * t) * np.sin(2 * np.pi * 5 * t) for a in (0.5, 3.0)])
    place = np.zeros((2, 2000, 3))
    place[..., 0] = 0.1 * decay
    rest = np.zeros((2, 2000, 6))
    slow, fast = (
        validation.Strikes(t, place[i : i + 1], place[i : i + 1, :, :2], rest[:1], rest[:1], rest[:1, :, 0])
        for i in (0, 1)
    )
    f, light = validation.spectrum(slow)
    _, heavy = validation.spectrum(fast)
    assert f[np.argmax(light)] == pytest.approx(5.0, abs=0.5)
    near = np.abs(f - 5) < 0.6
    assert np.all(light[near] > heavy[near])


def test_the_matrix_has_384_strikes():
    assert len(validation.ANGLES) * len(validation.SPEEDS) * validation.RUNS == 384


def test_a_bungee_table_from_noisy_data_is_monotonic():
    truth = HungDrogue()
    knots = np.asarray(truth.bungee_extension)
    stretch = np.linspace(0.0, 1.0, 400)
    force = np.interp(stretch, knots, np.asarray(truth.bungee_force))
    noisy = force + 5.0 * np.random.default_rng(1).standard_normal(400)
    found = validation.bungee_table(stretch, noisy, knots)
    np.testing.assert_allclose(found, truth.bungee_force, atol=5.0)
    assert np.all(np.diff(found) >= 0)


@pytest.mark.slow
def test_two_stages_of_swings_find_the_rig():
    truth = HungDrogue()
    slack = dataclasses.replace(truth, bungee_force=0 * truth.bungee_force, bungee_damping=0.0)
    starts = validation.CORNERS[:2]
    free, held = (np.asarray(validation.swung(rig, jnp.asarray(starts), 2.0)) for rig in (slack, truth))
    guess = HungDrogue(inertia=8.0, joint_damping=8.0, bungee_damping=15.0, bungee_length=0.85)
    found = validation.identify_rig(free, held, starts, guess, 2.0)
    assert found.inertia == pytest.approx(5.2, rel=1e-3)
    assert found.joint_damping == pytest.approx(4.0, rel=1e-2)
    assert found.bungee_damping == pytest.approx(28.0, rel=1e-2)
    assert found.bungee_length == pytest.approx(0.8, rel=1e-3)
    assert max(found.misfit) < 1e-3


@pytest.mark.slow
def test_the_test_matrix_has_384_cases_that_finish():
    found = validation.matrix()
    assert sum(len(case.position) for case in found.values()) == 384
    assert all(np.isfinite(case.position).all() for case in found.values())
