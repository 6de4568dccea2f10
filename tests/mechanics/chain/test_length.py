"""What reels are told: their ends, their middle, their rates."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import ContactReel, FixedReel, SmoothReel, TimedReel

REEL = SmoothReel(initial_length=60.0, final_length=300.0, start=5.0, duration=90.0)


def test_it_is_at_rest_at_both_ends():
    for t, length in ((0.0, 60.0), (5.0, 60.0), (95.0, 300.0), (120.0, 300.0)):
        np.testing.assert_allclose(REEL.paid_out_length(t, 300.0), [length, 0.0, 0.0], atol=1e-9)


def test_its_rates_are_its_derivatives():
    h, t = 1e-4, 40.0
    l = [float(REEL.paid_out_length(t + k * h, 300.0)[0]) for k in (-1, 0, 1)]
    got = REEL.paid_out_length(t, 300.0)
    assert float(got[1]) == pytest.approx((l[2] - l[0]) / (2 * h), rel=1e-6)
    assert float(got[2]) == pytest.approx((l[2] - 2 * l[1] + l[0]) / h**2, abs=1e-4)


def test_quintic_peaks_are_those_of_its_formula():
    reel = TimedReel(distance=5 * 27 / 19, duration=5.0, start=0.5)
    t = jnp.linspace(0.0, 6.0, 60001)
    told = jax.vmap(lambda t: reel.reeled_length(t, 0.0, 27.0))(t)
    np.testing.assert_allclose(told[:, 1].max(), 2.664, atol=5e-4)
    np.testing.assert_allclose(told[:, 2].max(), 1.641, atol=5e-4)
    np.testing.assert_allclose(told[-1], [7.10526, 0.0, 0.0], atol=1e-5)
    slope = np.gradient(told[:, 0], t)
    np.testing.assert_allclose(slope, told[:, 1], atol=1e-3)  # of central differences at 0.1 ms


def test_a_contact_reel_waits_for_contact_and_reels_in_the_stopping_distance():
    reel = ContactReel()
    assert reel.waits_for_contact
    assert reel.reeled_length(5.0, 0.0, 27.0)[0] == 0.0
    assert reel.reeled_length(5.0, 0.1, 27.0)[0] == 0.0
    np.testing.assert_allclose(reel.reeled_length(0.0, 2.1, 27.0), [0.5, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(reel.paid_out_length(0.0, 27.0, 2.1), [26.5, 0.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(FixedReel().reeled_length(1.0, 1.0, 27.0), 0.0)
