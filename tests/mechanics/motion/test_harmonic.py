"""Sines."""

import jax
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.motion import HarmonicMotion


def test_it_is_the_sum_of_its_sines():
    deck = HarmonicMotion(amplitude=[[0, 0, 1.0, 0, 0, 0], [0, 0, 0, 0.2, 0, 0]], omega=[0.5, 0.7], phase=0.3)
    np.testing.assert_allclose(deck.pose(3.0), [0, 0, np.sin(1.8), 0.2 * np.sin(2.4), 0, 0], atol=1e-14)


def test_it_starts_without_a_jolt():
    deck = HarmonicMotion(amplitude=np.ones(6), omega=1.0, phase=np.pi / 2, fade_in_time=5.0)
    point = jax.jit(lambda t: deck.point(t, np.zeros(3)))(0.0)
    np.testing.assert_allclose([*point.position, *point.velocity, *point.acceleration], 0.0, atol=1e-12)
    full = HarmonicMotion(amplitude=np.ones(6), omega=1.0, phase=np.pi / 2)
    np.testing.assert_allclose(deck.pose(6.0), full.pose(6.0))
    assert np.isfinite(jax.grad(lambda t: deck.pose(t)[2])(0.0))


def test_amplitudes_that_do_not_fit_are_rejected():
    with pytest.raises(ParameterError, match="six amplitudes"):
        HarmonicMotion(amplitude=[1.0, 2.0, 3.0, 4.0], omega=1.0)
    with pytest.raises(ParameterError, match="six amplitudes"):
        HarmonicMotion(amplitude=np.ones((3, 6)), omega=[1.0, 2.0])


def test_plane_means_can_be_combined_with_spatial_amplitudes():
    deck = HarmonicMotion(amplitude=[0.1, 0.2, 0.3, 0.0, 0.0, 0.0], omega=1.0, mean_pose=[0.5, 0.6, 0.7])
    still = HarmonicMotion(amplitude=np.zeros(6), omega=1.0, mean_pose=[0.0, 0.5, 0.6, 0.7, 0.0, 0.0])
    np.testing.assert_allclose(deck.pose(0.0), still.pose(0.0))
