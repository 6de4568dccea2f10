import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import BodyMotion, PrescribedForce

MOTION = BodyMotion(jnp.eye(3), jnp.zeros(3), jnp.zeros(3), jnp.zeros(3), jnp.array([0.0, 0.1, 0.0]))


def test_a_prescribed_force_acts_about_the_centre_of_gravity():
    load = PrescribedForce(
        times=[0.0, 2.0], values=[[0.0, 0.0, 0.0], [0.0, 0.0, 10.0]], point=[0.0, 0.3, 0.0]
    )
    force, moment = load.act(1.0, MOTION)
    np.testing.assert_allclose(force, [0.0, 0.0, 5.0])
    np.testing.assert_allclose(moment, [0.2 * 5.0, 0.0, 0.0])


def test_a_table_out_of_order_is_rejected():
    with pytest.raises(ParameterError, match="times must increase"):
        PrescribedForce(times=[0.0, 0.0], values=np.zeros((2, 3)))
