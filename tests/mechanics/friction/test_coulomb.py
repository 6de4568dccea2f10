import jax.numpy as jnp
import pytest

from dovetail.mechanics.friction import Coulomb


def test_force_is_mu_times_normal_force_above_the_smoothing_speed():
    law = Coulomb(mu=0.3)

    def force(slip):
        return float(law.force_and_rate(jnp.array([100.0]), jnp.array([slip]), law.initial_bristles(1))[0][0])

    # the smoothed sign is below one by (smoothing_speed/v)^2/2, 5e-7 at 0.1 m/s
    assert force(0.1) == pytest.approx(-30.0, rel=1e-6)
    assert force(-10.0) == pytest.approx(30.0, rel=1e-9)
