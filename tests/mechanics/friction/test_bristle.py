import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.friction import Bristle

N = jnp.array([100.0])
S = jnp.zeros(1)  # speed of slip at the last accepted step


def pulled(law, speed, duration=2.0, steps=4000):
    """Force along x while a node is drawn at a speed; the bristle by small steps with the anchor moved after each."""
    h, v = duration / steps, jnp.array([speed, 0.0])

    def one(z, _):
        _, rate, relax = law.act(N, v, z, jnp.array([speed]))
        z = (z + h * rate + h * relax * z) / (1 + h * relax)  # the decay implicitly
        z = law.settled(N, v, z, jnp.array([speed]))
        return z, -law.act(N, v, z, jnp.array([speed]))[0][0]

    return np.asarray(jax.jit(lambda z: jax.lax.scan(one, z, None, length=steps)[1])(jnp.zeros(2)))


def test_a_slow_pull_rises_with_the_bristle_to_stiction_and_a_fast_one_slides():
    law = Bristle(stiffness=3e3, damping=0.0, sliding=0.4, stiction=0.9, stribeck=1e-2)
    slow = pulled(law, 1e-3, duration=60.0, steps=600)
    assert slow[99] == pytest.approx(3e3 * 1e-3 * 10.0, rel=1e-6)  # K_f times the way
    assert slow[-1] == pytest.approx(90.0, rel=0.02)
    fast = pulled(law, 1.0, steps=400)
    assert fast[-1] == pytest.approx(40.0)


def test_equal_coefficients_make_a_coulomb_slider():
    law = Bristle(stiffness=1e6, sliding=0.2, stiction=0.2)
    assert pulled(law, 0.05, duration=0.1, steps=50)[-1] == pytest.approx(20.0)


def test_bristle_damping_resists_slip_and_may_be_kept_within_the_limit():
    v, z = jnp.array([0.1, 0.0]), jnp.zeros(2)
    free = Bristle(stiffness=1e4, damping=1e4, sliding=0.4, stiction=0.4, damping_bound="free")
    bound = Bristle(stiffness=1e4, damping=1e4, sliding=0.4, stiction=0.4)
    assert free.act(N, v, z, S)[0][0] == pytest.approx(-1000.0)
    assert bound.act(N, v, z, S)[0][0] == pytest.approx(-40.0)


def test_without_normal_force_there_is_no_friction():
    law = Bristle(stiffness=1e4, damping=1e3, sliding=0.4, stiction=0.4)
    force = law.act(jnp.zeros(1), jnp.array([0.3, 0.1]), jnp.array([1e-3, 0.0]), S)[0]
    np.testing.assert_array_equal(force, 0.0)


def test_the_printed_damper_drives_what_ours_resists():
    v, z = jnp.array([0.01, 0.0]), jnp.array([-1e-5, 0.0])
    ours, printed, none = (
        Bristle(stiffness=1e6, damping=c, sliding=0.4, stiction=0.4, damper=d, damping_bound="free")
        for c, d in ((1e3, "resists"), (1e3, "printed"), (0.0, "resists"))
    )
    spring = none.act(N, v, z, S)[0]
    share = 1 - 1e6 * 1e-5 / 40.0
    np.testing.assert_allclose(ours.act(N, v, z, S)[0] - spring, [-1e3 * 0.01 * share, 0.0])
    np.testing.assert_allclose(printed.act(N, v, z, S)[0] - spring, [1e3 * 0.01 * share, 0.0])


def test_within_an_interval_a_foot_that_slows_down_feels_all_of_its_stiction():
    law = Bristle(stiffness=1e6, sliding=0.2, stiction=0.4, stribeck=0.01, fall="now", interval=2.5e-3)
    fast, slow, stretched = jnp.array([0.5, 0.0]), jnp.array([1e-4, 0.0]), jnp.array([-1e-3, 0.0])
    assert law.act(N, fast, stretched, S)[0][0] == pytest.approx(-20.0)
    assert law.act(N, slow, stretched, S)[0][0] == pytest.approx(-40.0, rel=1e-3)
    moved = law.settled(N, fast, stretched, S)  # at the end of an interval in which it slid
    assert law.act(N, slow, moved, S)[0][0] == pytest.approx(-20.0)
    due = [
        bool(law.due(jnp.asarray(a), jnp.asarray(b)))
        for a, b in ((0.0, 1e-3), (1e-3, 2.5e-3), (2.5e-3, 4e-3))
    ]
    assert due == [False, True, False]
    assert bool(Bristle(stiffness=1e6, sliding=0.2, stiction=0.4).due(jnp.zeros(()), jnp.asarray(1e-9)))


def test_share_is_the_force_of_a_sliding_bristle_for_a_unit_of_normal_force():
    law = Bristle(stiffness=3e3, damping=50.0, sliding=0.3, stiction=0.7, stribeck=0.1, fall="now")
    for speed in (0.0, 0.05, 1.0):
        slip, z = jnp.array([speed, 0.0]), jnp.array([-3e-4, 4e-4])
        force = law.act(jnp.ones(1), slip, z)[0]
        coefficient = 0.3 + 0.4 * np.exp(-((speed / 0.1) ** 2))
        np.testing.assert_allclose(law.share(slip, z), force, rtol=1e-12)
        np.testing.assert_allclose(force, coefficient * np.array([-0.6, 0.8]), rtol=1e-12)
    np.testing.assert_array_equal(law.share(jnp.array([1.0, 0.0]), jnp.zeros(2)), 0.0)


@pytest.mark.parametrize("damping_bound", ["free", "limit"])
def test_a_foot_without_weight_and_with_a_straight_bristle_is_not_damped(damping_bound):
    law = Bristle(stiffness=1e4, damping=1e3, damping_bound=damping_bound)
    force, rate, _ = law.act(jnp.zeros(1), jnp.array([0.3, 0.1]), jnp.zeros(2), S)
    np.testing.assert_array_equal(force, 0.0)
    np.testing.assert_array_equal(rate, [-0.3, -0.1])


def test_the_coefficient_follows_the_slip_within_its_lag():
    law = Bristle(lag=5e-3)
    slid = jnp.asarray(0.0)
    for _ in range(10):
        slid = law.remembered(slid, jnp.asarray(0.2), 1e-3)
    assert float(slid) == pytest.approx(0.2 * (1 - np.exp(-2.0)), rel=1e-12)
    z, fast = jnp.array([-1.0, 0.0]), jnp.array([1.0, 0.0])
    lagged = Bristle(sliding=0.2, stiction=0.6, stribeck=1e-3)
    assert float(lagged.act(N, fast, z, jnp.zeros(1))[0][0]) == pytest.approx(-60.0)
    assert float(lagged.act(N, fast, z, jnp.ones(1))[0][0]) == pytest.approx(-20.0)
    now = Bristle(sliding=0.2, stiction=0.6, stribeck=1e-3, fall="now")
    assert float(now.act(N, fast, z, jnp.zeros(1))[0][0]) == pytest.approx(-20.0)
