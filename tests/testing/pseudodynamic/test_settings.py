"""Stepping: times, scales, and which moves are worth making."""

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.testing.pseudodynamic import PseudodynamicSettings


def test_stepwise_moves_and_rests_and_continuous_does_not_rest():
    assert PseudodynamicSettings(move_time=2.0, settling_time=1.0).times == (2.0, 1.0)
    # 1 ms of the test takes 0.1 s of the robot
    assert PseudodynamicSettings(
        scheme="continuous", contact_step=1e-3, time_scale=100.0
    ).times == pytest.approx((0.1, 0.0))


def test_a_scaled_specimen_has_smaller_lengths_and_equal_angles():
    command = PseudodynamicSettings(length_scale=5.0).command(jnp.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]))
    assert np.asarray(command) == pytest.approx([0.2, 0.4, 0.6, 0.1, 0.2, 0.3])
    assert float(PseudodynamicSettings(length_scale=5.0).command(jnp.array(1.0))) == 0.2


def test_a_move_within_the_repeatability_is_not_worth_making():
    settings = PseudodynamicSettings(repeatability=5e-5, angular_repeatability=2.6e-4)
    here = jnp.zeros(6)
    assert not bool(settings.exceeds_repeatability(here.at[0].set(4.9e-5), here))
    assert bool(settings.exceeds_repeatability(here.at[0].set(5.1e-5), here))
    assert bool(settings.exceeds_repeatability(here.at[4].set(2.7e-4), here))
    assert not bool(settings.exceeds_repeatability(here.at[4].set(2.5e-4), here))


def test_limits_apply_to_the_scaled_move():
    settings = PseudodynamicSettings(repeatability=5e-5, length_scale=5.0)
    assert not bool(settings.exceeds_repeatability(jnp.array([2e-4, 0.0]), jnp.zeros(2)))


def test_a_home_pose_with_wrong_axes_is_reported():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=1.0, c=1.0, k=100.0),
        rig=dv.Rig(dv.transfer.Delay(1e-3), dv.specimens.Spring(k=100.0)),
        rate=1000.0,
        duration=0.1,
        pseudodynamic=PseudodynamicSettings(home_pose=[0.0, 0.0]),
    )
    assert [(f.path, f.text) for f in test.faults()] == [
        ("pseudodynamic.home_pose", "has 2 values; give 1, one for each axis")
    ]
