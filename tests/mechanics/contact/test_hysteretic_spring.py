import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import HystereticSpring

LAW = HystereticSpring(stiffness=2e3, loss_fraction=0.6, loss_speed=0.1)


def test_loading_is_elastic_at_any_speed():
    for speed in (0.0, 0.01, 3.0):
        assert float(LAW.force(0.02, speed, 1.0)) == pytest.approx(40.0)


def test_fast_unloading_reduces_the_force_and_slow_unloading_does_not():
    assert float(LAW.force(0.02, -3.0, 1.0)) == pytest.approx(40.0 * 0.4)
    assert float(LAW.force(0.02, -1e-6, 1.0)) == pytest.approx(40.0, rel=1e-4)


def test_cycle_loss_is_the_loss_fraction_of_the_unloading_energy():
    t = np.linspace(0, 2 * np.pi, 20_001)
    depth, speed = 0.01 * (1 - jnp.cos(t)), 0.01 * jnp.sin(t) * 500.0
    force = jax.vmap(lambda d, v: LAW.force(d, v, 1.0))(depth, speed)
    work = np.trapezoid(np.asarray(force), np.asarray(depth))
    assert work == pytest.approx(0.6 * 2e3 * 0.02**2 / 2, rel=0.02)  # slower than v_0 only near the turns
