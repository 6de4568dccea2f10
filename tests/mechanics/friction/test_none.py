import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.friction import NoFriction


def test_a_body_slides_for_ever():
    force, rate, relax = NoFriction().act(jnp.array([9.0]), jnp.array([1.0, -2.0]), jnp.zeros(0))
    np.testing.assert_array_equal(force, 0.0)
    assert rate.size == 0
    assert float(relax[0]) == 0.0
