import jax
import jax.numpy as jnp
import pytest

from dovetail.mechanics.friction import Regularised

LAW = Regularised(mu=0.2, smoothing_speed=0.02)


def force(slip):
    return LAW.force_and_rate(jnp.array([50.0]), jnp.array([slip]), jnp.zeros(0))[0][0]


def test_viscous_at_rest_and_coulomb_at_speed():
    assert float(jax.grad(force)(0.0)) == pytest.approx(-0.2 * 50 / 0.02)
    assert float(force(0.02)) == pytest.approx(-10 * float(jnp.tanh(1.0)))
    assert float(force(-1.0)) == pytest.approx(10.0)
