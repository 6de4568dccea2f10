import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.friction import Bristle

N = jnp.array([100.0])
S = jnp.zeros(1)  # filtered slip speed


def pull_force(law, speed, duration=2.0, steps=4000):
    """Return the force along x while a node is drawn at a speed; small steps, with an anchor update after each."""
    h, v = duration / steps, jnp.array([speed, 0.0])

    def one(z, _):
        _, rate, relax = law.force_and_rate(N, v, z, jnp.array([speed]))
        z = (z + h * rate + h * relax * z) / (1 + h * relax)  # the decay implicitly
        z = law.update_anchors(N, v, z, jnp.array([speed]))
        return z, -law.force_and_rate(N, v, z, jnp.array([speed]))[0][0]

    return np.asarray(jax.jit(lambda z: jax.lax.scan(one, z, None, length=steps)[1])(jnp.zeros(2)))


def test_slow_pull_reaches_static_and_fast_pull_kinetic_friction():
    law = Bristle(stiffness=3e3, damping=0.0, mu_kinetic=0.4, mu_static=0.9, stribeck_speed=1e-2)
    slow = pull_force(law, 1e-3, duration=60.0, steps=600)
    assert slow[99] == pytest.approx(3e3 * 1e-3 * 10.0, rel=1e-6)  # K_f times the distance
    assert slow[-1] == pytest.approx(90.0, rel=0.02)
    fast = pull_force(law, 1.0, steps=400)
    assert fast[-1] == pytest.approx(40.0)


def test_equal_coefficients_give_coulomb_friction():
    law = Bristle(stiffness=1e6, mu_kinetic=0.2, mu_static=0.2)
    assert pull_force(law, 0.05, duration=0.1, steps=50)[-1] == pytest.approx(20.0)


def test_bristle_damping_resists_slip_and_can_be_limited():
    v, z = jnp.array([0.1, 0.0]), jnp.zeros(2)
    free = Bristle(stiffness=1e4, damping=1e4, mu_kinetic=0.4, mu_static=0.4, damping_bound="free")
    bound = Bristle(stiffness=1e4, damping=1e4, mu_kinetic=0.4, mu_static=0.4)
    assert free.force_and_rate(N, v, z, S)[0][0] == pytest.approx(-1000.0)
    assert bound.force_and_rate(N, v, z, S)[0][0] == pytest.approx(-40.0)


def test_no_friction_without_normal_force():
    law = Bristle(stiffness=1e4, damping=1e3, mu_kinetic=0.4, mu_static=0.4)
    force = law.force_and_rate(jnp.zeros(1), jnp.array([0.3, 0.1]), jnp.array([1e-3, 0.0]), S)[0]
    np.testing.assert_array_equal(force, 0.0)


def test_published_damper_has_the_opposite_sign():
    v, z = jnp.array([0.01, 0.0]), jnp.array([-1e-5, 0.0])
    resisting, published, undamped = (
        Bristle(stiffness=1e6, damping=c, mu_kinetic=0.4, mu_static=0.4, damper_sign=d, damping_bound="free")
        for c, d in ((1e3, "resisting"), (1e3, "published"), (0.0, "resisting"))
    )
    spring = undamped.force_and_rate(N, v, z, S)[0]
    damper = 1e3 * 0.01 * (1 - 1e6 * 1e-5 / 40.0)
    np.testing.assert_allclose(resisting.force_and_rate(N, v, z, S)[0] - spring, [-damper, 0.0])
    np.testing.assert_allclose(published.force_and_rate(N, v, z, S)[0] - spring, [damper, 0.0])


def test_within_an_interval_a_slowing_foot_has_static_friction():
    law = Bristle(
        stiffness=1e6,
        mu_kinetic=0.2,
        mu_static=0.4,
        stribeck_speed=0.01,
        stribeck_slip="instantaneous",
        anchor_interval=2.5e-3,
    )
    fast, slow, stretched = jnp.array([0.5, 0.0]), jnp.array([1e-4, 0.0]), jnp.array([-1e-3, 0.0])
    assert law.force_and_rate(N, fast, stretched, S)[0][0] == pytest.approx(-20.0)
    assert law.force_and_rate(N, slow, stretched, S)[0][0] == pytest.approx(-40.0, rel=1e-3)
    moved = law.update_anchors(N, fast, stretched, S)  # at the end of an interval in which it slid
    assert law.force_and_rate(N, slow, moved, S)[0][0] == pytest.approx(-20.0)
    due = [
        bool(law.anchor_update_due(jnp.asarray(a), jnp.asarray(b)))
        for a, b in ((0.0, 1e-3), (1e-3, 2.5e-3), (2.5e-3, 4e-3))
    ]
    assert due == [False, True, False]
    assert bool(
        Bristle(stiffness=1e6, mu_kinetic=0.2, mu_static=0.4).anchor_update_due(
            jnp.zeros(()), jnp.asarray(1e-9)
        )
    )


def test_force_ratio_is_the_sliding_force_per_normal_force():
    law = Bristle(
        stiffness=3e3,
        damping=50.0,
        mu_kinetic=0.3,
        mu_static=0.7,
        stribeck_speed=0.1,
        stribeck_slip="instantaneous",
    )
    for speed in (0.0, 0.05, 1.0):
        slip, z = jnp.array([speed, 0.0]), jnp.array([-3e-4, 4e-4])
        force = law.force_and_rate(jnp.ones(1), slip, z)[0]
        coefficient = 0.3 + 0.4 * np.exp(-((speed / 0.1) ** 2))
        np.testing.assert_allclose(law.force_ratio(slip, z), force, rtol=1e-12)
        np.testing.assert_allclose(force, coefficient * np.array([-0.6, 0.8]), rtol=1e-12)
    np.testing.assert_array_equal(law.force_ratio(jnp.array([1.0, 0.0]), jnp.zeros(2)), 0.0)


@pytest.mark.parametrize("damping_bound", ["free", "limit"])
def test_no_damping_without_normal_force_and_deflection(damping_bound):
    law = Bristle(stiffness=1e4, damping=1e3, damping_bound=damping_bound)
    force, rate, _ = law.force_and_rate(jnp.zeros(1), jnp.array([0.3, 0.1]), jnp.zeros(2), S)
    np.testing.assert_array_equal(force, 0.0)
    np.testing.assert_array_equal(rate, [-0.3, -0.1])


def test_coefficient_follows_the_filtered_slip_speed():
    law = Bristle(stribeck_time=5e-3)
    filtered_speed = jnp.asarray(0.0)
    for _ in range(10):
        filtered_speed = law.filtered_slip_speed(filtered_speed, jnp.asarray(0.2), 1e-3)
    assert float(filtered_speed) == pytest.approx(0.2 * (1 - np.exp(-2.0)), rel=1e-12)
    z, fast = jnp.array([-1.0, 0.0]), jnp.array([1.0, 0.0])
    filtered = Bristle(mu_kinetic=0.2, mu_static=0.6, stribeck_speed=1e-3)
    assert float(filtered.force_and_rate(N, fast, z, jnp.zeros(1))[0][0]) == pytest.approx(-60.0)
    assert float(filtered.force_and_rate(N, fast, z, jnp.ones(1))[0][0]) == pytest.approx(-20.0)
    instantaneous = Bristle(mu_kinetic=0.2, mu_static=0.6, stribeck_speed=1e-3, stribeck_slip="instantaneous")
    assert float(instantaneous.force_and_rate(N, fast, z, jnp.zeros(1))[0][0]) == pytest.approx(-20.0)
