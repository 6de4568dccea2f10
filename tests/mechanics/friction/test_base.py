"""What every memoryless friction law obeys."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.friction import Coulomb, Tustin

LAWS = [Coulomb(), Tustin()]


@pytest.mark.parametrize("law", LAWS)
def test_force_acts_against_the_slip_and_takes_energy(law):
    for slip in (0.3, -0.3, jnp.array([0.1, -0.2]), jnp.array([0.1, 0.2, -0.3])):
        power = np.sum(law.force(50.0, slip) * slip)
        assert power < 0
        assert float(law.dissipated_power(50.0, slip)) == pytest.approx(-float(power))


@pytest.mark.parametrize("law", LAWS)
def test_one_direction_and_a_vector_agree(law):
    np.testing.assert_allclose(law.force(50.0, jnp.array([0.02, 0.0]))[0], law.force(50.0, 0.02))


@pytest.mark.parametrize("law", LAWS)
def test_no_slip_no_force_and_a_finite_slope(law):
    assert float(law.force(50.0, 0.0)) == 0.0
    assert np.isfinite(jax.grad(lambda v: law.force(50.0, v))(0.0))
    assert np.isfinite(jax.jacfwd(lambda v: law.force(50.0, v))(jnp.zeros(3))).all()


def test_forces_of_many_contacts_at_once():
    slip = jnp.array([[0.1, 0.0], [0.0, -0.1]])
    np.testing.assert_allclose(
        Coulomb(mu=0.25).force(jnp.array([10.0, 20.0]), slip), [[-2.5, 0], [0, 5.0]], rtol=1e-6
    )


def test_negative_friction_is_refused():
    with pytest.raises(ParameterError, match="Coulomb.mu: got -0.1; must be at least 0"):
        Coulomb(mu=-0.1)
