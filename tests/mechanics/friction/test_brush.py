import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.friction import Brush, LuGre

LAW, N = Brush(mu=0.3, way=1e-3), jnp.array([40.0])


def dragged(law, speed, way=5e-3, steps=5000):
    """Force at every step while a body is drawn over a way [m] at a speed [m/s]."""
    slip, h = jnp.array([speed, 0.0]), way / steps / speed

    def one(z, _):
        _, k1, _ = law.act(N, slip, z)
        _, k2, _ = law.act(N, slip, z + h / 2 * k1)
        z = z + h * k2
        return z, law.act(N, slip, z)[0][0]

    return jax.jit(lambda: jax.lax.scan(one, law.memory(2), None, length=steps)[1])()


def test_it_follows_the_way_and_not_the_time():
    np.testing.assert_allclose(dragged(LAW, 1.0), dragged(LAW, 1e-4), rtol=1e-9)


def test_it_bends_over_its_way_and_then_slides():
    force = np.asarray(dragged(LAW, 0.1))
    s = 1e-6 * np.arange(1, 5001)
    np.testing.assert_allclose(force, -0.3 * 40 * (1 - np.exp(-s / 1e-3)), rtol=1e-5)


def test_it_is_lugre_without_damping_and_fall():
    lugre = LuGre(stiffness=0.3 / 1e-3, damping=0.0, stiction=0.3, sliding=0.3, follow=0.0)
    np.testing.assert_allclose(dragged(LAW, 0.1), dragged(lugre, 0.1), rtol=1e-9)


def test_a_body_that_rests_on_bent_bristles_is_held():
    force, rate, _ = LAW.act(N, jnp.zeros(2), jnp.array([2e-4, 0.0]))
    assert float(force[0]) == pytest.approx(0.3 * 40 * 0.2)
    np.testing.assert_array_equal(rate, 0.0)
