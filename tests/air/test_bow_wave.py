import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.bow_wave import HalfBody
from dovetail.air.wind import FreeStream

BODY = HalfBody(radius=0.8, source_position=(0.0, 0.0, 0.0), core_radius=1e-3)
STREAM = FreeStream(200.0, 0.5)


def test_air_ahead_is_pushed_forward_and_aside_outward():
    r = jnp.array([[2.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    v = BODY.velocity(0.0, r, STREAM)
    assert v[0, 0] > 0
    assert v[2, 1] > 0  # up, where the point is up
    np.testing.assert_allclose(v[0, 0], 200 * 0.8**2 / 4 / 4, rtol=1e-6)


def test_the_stagnation_point_lies_half_a_radius_ahead():
    """Of a half body of radius a the source is a/2 behind its nose."""
    v = BODY.velocity(0.0, jnp.array([[0.4], [0.0], [0.0]]), STREAM)
    np.testing.assert_allclose(v[0, 0], 200.0, rtol=1e-4)  # against a stream of 200 m/s aft


def test_the_nose_is_the_only_source_of_the_field():
    def field(r):
        return BODY.velocity(0.0, r[:, None], STREAM)[:, 0]

    slope = jax.jacfwd(field)(jnp.array([1.0, 0.5, -0.7]))
    np.testing.assert_allclose(np.trace(slope), 0.0, atol=1e-3 * np.abs(slope).max())
