import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.friction import Brush, LuGre

LAW, N = Brush(mu=0.3, presliding_distance=1e-3), jnp.array([40.0])


def drag_force(law, speed, distance=5e-3, steps=5000):
    """Return the force at every step while a body is drawn over a distance [m] at a speed [m/s]."""
    slip, h = jnp.array([speed, 0.0]), distance / steps / speed

    def one(z, _):
        _, k1, _ = law.force_and_rate(N, slip, z)
        _, k2, _ = law.force_and_rate(N, slip, z + h / 2 * k1)
        z = z + h * k2
        return z, law.force_and_rate(N, slip, z)[0][0]

    return jax.jit(lambda: jax.lax.scan(one, law.initial_bristles(2), None, length=steps)[1])()


def test_force_does_not_depend_on_speed():
    np.testing.assert_allclose(drag_force(LAW, 1.0), drag_force(LAW, 1e-4), rtol=1e-9)


def test_force_rises_over_the_presliding_distance():
    force = np.asarray(drag_force(LAW, 0.1))
    s = 1e-6 * np.arange(1, 5001)
    np.testing.assert_allclose(force, -0.3 * 40 * (1 - np.exp(-s / 1e-3)), rtol=1e-5)


def test_equals_lugre_without_damping_and_stribeck_effect():
    lugre = LuGre(stiffness=0.3 / 1e-3, damping=0.0, mu_static=0.3, mu_kinetic=0.3, min_time_constant=0.0)
    np.testing.assert_allclose(drag_force(LAW, 0.1), drag_force(lugre, 0.1), rtol=1e-9)


def test_deflected_bristles_hold_a_body_at_rest():
    force, rate, _ = LAW.force_and_rate(N, jnp.zeros(2), jnp.array([2e-4, 0.0]))
    assert float(force[0]) == pytest.approx(0.3 * 40 * 0.2)
    np.testing.assert_array_equal(rate, 0.0)
