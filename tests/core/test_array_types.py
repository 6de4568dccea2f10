"""A parameter converts numbers of any form to a float64 array."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Parameter, parameter


class Spring(eqx.Module):
    k: Parameter = parameter("N/m", "stiffness")


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        *((3, ()), (3.0, ()), (np.float32(3), ()), ([3.0, 3], (2,)), (((3.0, 3),), (1, 2))),
        *((np.full((2, 3), 3), (2, 3)), (jnp.full(2, 3), (2,)), ([jnp.array(3.0), 3], (2,))),
    ],
)
def test_numbers_are_converted_to_an_array(given, shape):
    k = Spring(given).k
    assert isinstance(k, jax.Array)
    assert (k.dtype, k.shape) == (np.dtype(float), shape)
    assert np.all(k == 3.0)


@pytest.mark.parametrize("given", [{"k": 3.0}, object(), [[1.0], [2.0, 3.0]]])
def test_other_values_are_rejected(given):
    with pytest.raises((TypeError, ValueError)):
        Spring(given).k.block_until_ready()
