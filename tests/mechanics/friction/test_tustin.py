import math

import jax.numpy as jnp
import pytest

from dovetail.mechanics.friction import Tustin


def test_it_falls_from_stiction_to_sliding():
    law = Tustin()
    assert float(law.coefficient(0.0)) == pytest.approx(0.35)
    assert float(law.coefficient(0.015)) == pytest.approx(0.25 + 0.1 / math.e)
    assert float(law.coefficient(1.0)) == pytest.approx(0.25)


def test_sliding_friction_does_not_vanish_at_speed():
    # as eq. 6.33 is printed it would
    force, _, _ = Tustin().act(jnp.array([100.0]), jnp.array([1.0]), jnp.zeros(0))
    assert float(force[0]) == pytest.approx(-25.0, rel=1e-6)
