import jax.numpy as jnp
import numpy as np

from dovetail.air.stream import UniformAir


def test_uniform_air_blows_aft_everywhere():
    r = jnp.arange(12.0).reshape(3, 4)
    wind = UniformAir(airspeed=180.0).velocity(0.0, r, jnp.zeros(3))
    np.testing.assert_array_equal(wind, np.array([[-180.0], [0.0], [0.0]]) * np.ones(4))
    assert UniformAir().stream()[1] == 0.525
