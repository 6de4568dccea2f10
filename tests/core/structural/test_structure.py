import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.structural import (
    HHTAlpha,
    Linear,
    SampledStructure,
    Structure,
)


def test_a_sampled_structure_settles_on_its_static_deflection_and_shows_its_force():
    block = SampledStructure(Structure(1.0, 20.0, Linear(100.0)), HHTAlpha())
    x, y = jax.jit(
        lambda: jax.lax.scan(
            lambda x, i: block.step(i * 0.05, 0.05, x, jnp.array([5.0])), block.init(), jnp.arange(200)
        )
    )()
    np.testing.assert_allclose(y["displacement"][-1], 0.05, rtol=1e-8)
    np.testing.assert_allclose(y["force"][-1], -5.0, rtol=1e-8)
    assert jax.tree.structure(x) == jax.tree.structure(block.init())


def test_faults_of_shape_and_range_are_said():
    with pytest.raises(ParameterError, match=r"mass of shape \(1, 1\) and damping of shape \(2, 2\)"):
        Structure(1.0, np.eye(2))
    with pytest.raises(ParameterError, match=r"alpha: got 0.1; must be at least -0.333333 and at most 0"):
        HHTAlpha(0.1)
