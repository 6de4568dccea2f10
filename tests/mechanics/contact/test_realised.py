import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Flores, Goldsmith, realised, realised_restitution


def test_it_solves_its_equation():
    factor = jnp.array([0.01, 0.1, 0.4, 1.0, 2.0, 10.0])
    e = realised_restitution(factor)
    np.testing.assert_allclose((1 + factor) / (1 - factor * e), jnp.exp(factor * (1 + e)), rtol=1e-6)
    assert np.all((e > 0) & (e < 1))


def test_no_damping_no_loss():
    assert float(realised_restitution(0.0)) == 1.0


def test_series_and_root_meet_to_their_accuracy():
    both = realised_restitution(jnp.array([0.999999e-3, 1.000001e-3]))
    assert float(both[1] - both[0]) == pytest.approx(-2 / 3 * 2e-9, abs=1e-9)  # as the docstring says


def test_it_has_a_derivative():
    slope = jax.grad(realised_restitution)(0.4)
    central = (realised_restitution(0.4 + 1e-5) - realised_restitution(0.4 - 1e-5)) / 2e-5
    assert float(slope) == pytest.approx(float(central), rel=1e-6)


def test_a_law_with_restitution_by_speed():
    law = Flores(stiffness=1e9, restitution_law=Goldsmith(alpha=2.0))
    assert float(realised(law, 0.1)) == pytest.approx(0.7885, abs=1e-4)
