import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.friction import NoFriction


def test_no_friction_has_no_force_and_no_bristles():
    force, rate, relax = NoFriction().force_and_rate(jnp.array([9.0]), jnp.array([1.0, -2.0]), jnp.zeros(0))
    np.testing.assert_array_equal(force, 0.0)
    assert rate.size == 0
    assert float(relax[0]) == 0.0
