import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import Flores, GivenDamping


def test_a_batch_of_factors_is_a_batch_of_laws():
    factors = jnp.array([0.0, 0.4, 1.6])
    force = jax.vmap(lambda factor: GivenDamping(stiffness=1e9, factor=factor).force(1e-4, 0.05, 0.1))
    np.testing.assert_allclose(force(factors), 1e3 * (1 + factors * 0.5), rtol=1e-12)


def test_flores_at_four_fifths_is_a_factor_of_two_fifths():
    same = GivenDamping(stiffness=1e9, factor=0.4).force(1e-4, 0.05, 0.1)
    np.testing.assert_allclose(Flores(stiffness=1e9, restitution=0.8).force(1e-4, 0.05, 0.1), same)
