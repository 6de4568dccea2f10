import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.airframe import Oleo, SpringDamperStrut, Strut
from dovetail.mechanics.airframe.struts import strut_force

LINEAR = SpringDamperStrut(stiffness=2.5e4, damping=500.0, free_length=0.2)
OLEO = Oleo(preload=2e3, gas_stroke=0.3, free_length=0.6, orifice_damping=4e3, viscous_damping=50.0)


def test_a_strut_pushes_along_its_line():
    strut = Strut(law=LINEAR, mount=[0.0, 0.0], node=1)
    force = strut_force(strut, jnp.array([0.06, 0.08]), jnp.array([0.3, 0.4]))
    np.testing.assert_allclose(force, (2.5e4 * 0.1 - 500 * 0.5) * np.array([0.6, 0.8]))


@pytest.mark.parametrize("law", [LINEAR, OLEO])
def test_the_force_at_rest_is_the_slope_of_the_stored_energy(law):
    for length in (0.19, 0.35, 0.45, 0.599, 0.61):
        slope = jax.grad(law.stored_energy)(length)
        assert -slope == pytest.approx(float(law.force(length, 0.0)), rel=1e-9)


def test_damping_only_dissipates_energy():
    for rate in (-1.0, -0.1, 0.2, 2.0):
        assert LINEAR.loss(0.15, rate) > 0
        assert OLEO.loss(0.5, rate) > 0


def test_an_oleo_has_preload_progressive_stiffness_and_a_stop():
    assert OLEO.force(0.6, 0.0) == pytest.approx(2e3)
    assert OLEO.force(0.45, 0.0) == pytest.approx(2e3 * 0.5**-1.3)
    assert OLEO.force(0.603, 0.0) == pytest.approx(2e3 - 1e6 * 0.003)
    assert np.isfinite(OLEO.force(0.25, 0.0))  # beyond its room: linear, not infinite
