import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.friction import LuGre

LAW = LuGre()


def steady_bristle(law, slip, h=1e-5, steps=20000):
    """Return the bristle in steady slip."""

    def step(z, _):
        k1 = law.force_and_rate(jnp.ones(1), slip, z)[1]
        return z + h * law.force_and_rate(jnp.ones(1), slip, z + h / 2 * k1)[1], None

    return jax.lax.scan(step, jnp.zeros_like(slip), None, length=steps)[0]


@pytest.mark.parametrize("slip", [[0.001], [0.015], [-0.1], [0.009, 0.012]])
def test_steady_slip_gives_the_stribeck_curve(slip):
    slip = jnp.array(slip)
    force, _, _ = LAW.force_and_rate(jnp.array([80.0]), slip, steady_bristle(LAW, slip))
    speed = jnp.linalg.norm(slip)
    np.testing.assert_allclose(force, -slip / speed * 80.0 * LAW.steady(speed), rtol=1e-6)


def test_a_body_under_half_of_static_friction_sticks():
    """A mass of 1 kg under half of the static friction comes to rest at a bristle deflection."""
    normal, pull, h = 10.0, 0.5 * 0.35 * 10.0, 1e-5

    def rates(x):
        _, v, z = x
        force, rate, _ = LAW.force_and_rate(jnp.array([normal]), v[None], z[None])
        return jnp.stack([v, pull + force[0], rate[0]])

    def step(x, _):
        k1 = rates(x)
        k2 = rates(x + h / 2 * k1)
        return x + h * k2, None

    early, _ = jax.lax.scan(step, jnp.zeros(3), None, length=50_000)
    late, _ = jax.lax.scan(step, early, None, length=50_000)
    assert float(late[2]) == pytest.approx(
        -pull / (1e5 * normal), rel=1e-6
    )  # the bristle force balances the pull
    assert float(late[0] - early[0]) == pytest.approx(0.0, abs=1e-15)  # the body does not slide


def test_bristles_dissipate_energy_over_a_cycle():
    h, w, amplitude = 1e-5, 2 * np.pi * 5, 1e-4
    t = jnp.arange(40_000) * h  # two cycles

    def step(z, t):
        v = amplitude * w * jnp.cos(w * t)[None]
        force, rate, _ = LAW.force_and_rate(jnp.array([10.0]), v, z)
        return z + h * rate, -jnp.sum(force * v)

    _, power = jax.lax.scan(step, jnp.zeros(1), t)
    assert float(jnp.sum(power[20_000:]) * h) > 0


def test_large_steps_give_the_same_steady_slip():
    """At 1.5 m/s the published bristles respond within 2 us; here steps of 0.25 ms suffice."""
    slip, h = jnp.array([1.5, 0.0]), 2.5e-4

    def step(z, _):
        k1 = LAW.force_and_rate(jnp.ones(1), slip, z)[1]
        return z + h * LAW.force_and_rate(jnp.ones(1), slip, z + h / 2 * k1)[1], None

    z, _ = jax.lax.scan(step, jnp.zeros(2), None, length=100)
    np.testing.assert_allclose(
        LAW.force_and_rate(jnp.array([80.0]), slip, z)[0], [-80.0 * 0.25, 0.0], rtol=1e-4, atol=1e-9
    )


def test_sticking_equals_the_published_law():
    published = LuGre(min_time_constant=0.0)
    z, slip = jnp.array([1e-6, 0.0]), jnp.array([1e-8, 0.0])
    args = jnp.ones(1), slip, z
    for ours, theirs in zip(LAW.force_and_rate(*args), published.force_and_rate(*args), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)
