import decimal

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Flores, Goldsmith, realised_restitution, restitution_of_law


def test_realised_restitution_solves_its_equation():
    factor = jnp.array([0.01, 0.1, 0.4, 1.0, 2.0, 10.0])
    e = realised_restitution(factor)
    np.testing.assert_allclose((1 + factor) / (1 - factor * e), jnp.exp(factor * (1 + e)), rtol=1e-6)
    assert np.all((e > 0) & (e < 1))


def test_no_loss_without_damping():
    assert float(realised_restitution(0.0)) == 1.0


def test_series_and_root_agree_within_their_accuracy():
    factors = [1e-4, 0.5e-3, 0.999999e-3, 1.000001e-3, 2e-3]
    both = np.asarray(realised_restitution(jnp.array(factors)))
    assert both == pytest.approx([exact(f) for f in factors], abs=1e-9)  # as the docstring says


def exact(factor):
    """Return the root of the first integral by Newton's method with 50 digits."""
    with decimal.localcontext(decimal.Context(prec=50)):
        f = decimal.Decimal(factor)
        e = 1 - 2 * f / 3
        for _ in range(6):
            excess = ((1 + f) / (1 - f * e)).ln() - f * (1 + e)
            e -= excess / (f / (1 - f * e) - f)
        return float(e)


def test_it_has_a_derivative():
    slope = jax.grad(realised_restitution)(0.4)
    central = (realised_restitution(0.4 + 1e-5) - realised_restitution(0.4 - 1e-5)) / 2e-5
    assert float(slope) == pytest.approx(float(central), rel=1e-6)


def test_law_with_speed_dependent_restitution():
    law = Flores(stiffness=1e9, restitution_law=Goldsmith(alpha=2.0))
    assert float(restitution_of_law(law, 0.1)) == pytest.approx(0.7885, abs=1e-4)
