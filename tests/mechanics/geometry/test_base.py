"""What a nearest approach tells."""

import jax.numpy as jnp

from dovetail.mechanics.geometry import NearestPoint


def test_depth_is_the_negative_gap():
    touch = NearestPoint(jnp.array(-0.2), jnp.zeros(3), jnp.zeros(3), jnp.zeros(3), jnp.array(0))
    assert float(touch.depth) == 0.2
