import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.friction import LuGre

LAW = LuGre()


def settled(law, slip, h=1e-5, steps=20000):
    """The bristle in steady slip."""

    def step(z, _):
        k1 = law.act(jnp.ones(1), slip, z)[1]
        return z + h * law.act(jnp.ones(1), slip, z + h / 2 * k1)[1], None

    return jax.lax.scan(step, jnp.zeros_like(slip), None, length=steps)[0]


@pytest.mark.parametrize("slip", [[0.001], [0.015], [-0.1], [0.009, 0.012]])
def test_steady_slip_gives_the_stribeck_curve(slip):
    slip = jnp.array(slip)
    force, _, _ = LAW.act(jnp.array([80.0]), slip, settled(LAW, slip))
    speed = jnp.linalg.norm(slip)
    np.testing.assert_allclose(force, -slip / speed * 80.0 * LAW.steady(speed), rtol=1e-6)


def test_it_sticks():
    """A mass of 1 kg pulled with half of the stiction moves to a bristle deflection and stays."""
    normal, pull, h = 10.0, 0.5 * 0.35 * 10.0, 1e-5

    def rates(x):
        _, v, z = x
        force, rate, _ = LAW.act(jnp.array([normal]), v[None], z[None])
        return jnp.stack([v, pull + force[0], rate[0]])

    def step(x, _):
        k1 = rates(x)
        k2 = rates(x + h / 2 * k1)
        return x + h * k2, None

    early, _ = jax.lax.scan(step, jnp.zeros(3), None, length=50_000)
    late, _ = jax.lax.scan(step, early, None, length=50_000)
    assert float(late[2]) == pytest.approx(-pull / (1e5 * normal), rel=1e-6)  # the bristles carry the pull
    assert float(late[0] - early[0]) == pytest.approx(0.0, abs=1e-15)  # and the body does not creep


def test_bristles_take_energy_over_a_cycle():
    h, w, amplitude = 1e-5, 2 * np.pi * 5, 1e-4
    t = jnp.arange(40_000) * h  # two cycles

    def step(z, t):
        v = amplitude * w * jnp.cos(w * t)[None]
        force, rate, _ = LAW.act(jnp.array([10.0]), v, z)
        return z + h * rate, -jnp.sum(force * v)

    _, power = jax.lax.scan(step, jnp.zeros(1), t)
    assert float(jnp.sum(power[20_000:]) * h) > 0


def test_steps_that_do_not_resolve_the_bristles_find_the_same_steady_slip():
    """At 1.5 m/s they would follow within two microseconds; steps of a quarter of a millisecond do."""
    slip, h = jnp.array([1.5, 0.0]), 2.5e-4

    def step(z, _):
        k1 = LAW.act(jnp.ones(1), slip, z)[1]
        return z + h * LAW.act(jnp.ones(1), slip, z + h / 2 * k1)[1], None

    z, _ = jax.lax.scan(step, jnp.zeros(2), None, length=100)
    np.testing.assert_allclose(
        LAW.act(jnp.array([80.0]), slip, z)[0], [-80.0 * 0.25, 0.0], rtol=1e-4, atol=1e-9
    )


def test_where_they_stick_they_are_as_published():
    published = LuGre(follow=0.0)
    z, slip = jnp.array([1e-6, 0.0]), jnp.array([1e-8, 0.0])
    for ours, theirs in zip(LAW.act(jnp.ones(1), slip, z), published.act(jnp.ones(1), slip, z), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)
