import math

import jax.numpy as jnp
import pytest

from dovetail.mechanics.friction import Tustin


def test_coefficient_decreases_from_static_to_kinetic():
    law = Tustin()
    assert float(law.coefficient(0.0)) == pytest.approx(0.35)
    assert float(law.coefficient(0.015)) == pytest.approx(0.25 + 0.1 / math.e)
    assert float(law.coefficient(1.0)) == pytest.approx(0.25)


def test_kinetic_friction_is_not_zero():
    # with eq. 6.33 as printed it would be zero
    force, _, _ = Tustin().force_and_rate(jnp.array([100.0]), jnp.array([1.0]), jnp.zeros(0))
    assert float(force[0]) == pytest.approx(-25.0, rel=1e-6)
