import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail import testing
from dovetail.mechanics.hose_reel import (
    ContactReel,
    ExactDrum,
    HoseDrum,
    StillReel,
    TimedReel,
    fixed_lengths,
    sequential_lengths,
    uniform_lengths,
)
from dovetail.studies.registry import find_test


def test_quintic_peaks_are_those_of_its_formula():
    reel = TimedReel(distance=5 * 27 / 19, duration=5.0, start=0.5)
    t = jnp.linspace(0.0, 6.0, 60001)
    told = jax.vmap(lambda t: reel.told(t, 0.0))(t)
    np.testing.assert_allclose(told[:, 1].max(), 2.664, atol=5e-4)
    np.testing.assert_allclose(told[:, 2].max(), 1.641, atol=5e-4)
    np.testing.assert_allclose(told[-1], [7.10526, 0.0, 0.0], atol=1e-5)
    slope = np.gradient(told[:, 0], t)
    np.testing.assert_allclose(slope, told[:, 1], atol=1e-3)  # of central differences at 0.1 ms


def test_contact_reel_waits_for_contact_and_takes_in_the_stopping_distance():
    reel = ContactReel()
    assert reel.told(5.0, 0.0)[0] == 0.0
    assert reel.told(5.0, 0.1)[0] == 0.0
    np.testing.assert_allclose(reel.told(0.0, 2.1), [0.5, 0.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(StillReel().told(1.0, 1.0), 0.0)


@pytest.mark.parametrize("lengths", [uniform_lengths, sequential_lengths])
def test_links_together_lose_what_is_reeled_and_their_derivatives_agree(lengths):
    both = jax.jit(lambda s: (lengths(s, 9.0, 6), jax.jacfwd(lambda s: lengths(s, 9.0, 6)[:2])(s)))
    for s in (0.0, 0.9, 2.02, 4.4):
        (l, first, second), (slope, slope_2) = both(jnp.asarray(s))
        np.testing.assert_allclose(np.sum(l), 9.0 - s, rtol=1e-12)
        np.testing.assert_allclose(first, slope, atol=1e-12)
        np.testing.assert_allclose(second, slope_2, atol=1e-9)
        assert np.all(l > 0)


def test_links_shrink_one_after_another_from_the_tow_point():
    l, first, _ = sequential_lengths(jnp.asarray(0.5), 9.0, 6)
    np.testing.assert_allclose(l, [1.0, 1.5, 1.5, 1.5, 1.5, 1.5])
    np.testing.assert_allclose(first, [-1.0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(fixed_lengths(jnp.asarray(0.5), 9.0, 6)[0], 1.5)


def test_the_drum_s_force_is_feed_forward_and_two_gains():
    told = jnp.array([1.0, 0.5, 0.2])
    force, inertia = HoseDrum(holding=7.0).drive(told, 0.9, 0.3)
    np.testing.assert_allclose(force, 100 * 0.2 + 1000 * 0.1 + 100 * 0.2 + 7.0)
    assert inertia == 100.0
    assert ExactDrum().drive(told, 0.9, 0.3) == (0.2, None)


def test_the_hose_of_the_published_tests_shrinks_so_and_does_not_exchange_momentum():
    """What flies in the scaled and the full-scale test: links in turn, no force by mass that is handed on."""
    tests = {name: testing.load(find_test(f"refuelling/{name}")) for name in ("scaled", "full-scale")}
    for name, test in tests.items():
        hose = test.numerical.hose
        assert (hose.shrink, hose.transfer) == ("sequential", "none"), name
    hose = tests["full-scale"].numerical.hose
    angles = jnp.zeros((2, hose.links + 1))
    before, after = (hose.motion(angles, angles, jnp.asarray(s), jnp.asarray(0.5)) for s in (0.0, 0.4))
    np.testing.assert_allclose(
        (before.l - after.l)[: hose.links], [0.4] + [0.0] * (hose.links - 1), atol=1e-12
    )
    np.testing.assert_allclose(after.v[0, 1:], after.v[0, 1], atol=1e-12)  # all below move on as one
