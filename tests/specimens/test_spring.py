"""A spring pushes back."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.specimens import Spring

MOTION = {"displacement": jnp.array([0.01, -0.02]), "velocity": jnp.array([0.1, 0.3]), "acceleration": 0.0}


def test_force_opposes_displacement_and_velocity():
    spring = Spring(k=100.0, c=2.0)
    np.testing.assert_allclose(spring.output(0.0, (), MOTION)["force"], [-1.2, 1.4])


def test_a_bare_spring_ignores_velocity():
    np.testing.assert_allclose(Spring(k=100.0).output(0.0, (), MOTION)["force"], [-1.0, 2.0])


def test_negative_stiffness_is_rejected():
    with pytest.raises(ParameterError, match=r"Spring\.k: got -1; must be at least 0 N/m"):
        Spring(k=-1.0)
