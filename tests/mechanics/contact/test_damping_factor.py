import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import DampingFactor, Flores


def test_a_batch_of_factors_gives_a_batch_of_forces():
    factors = jnp.array([0.0, 0.4, 1.6])
    force = jax.vmap(lambda factor: DampingFactor(stiffness=1e9, factor=factor).force(1e-4, 0.05, 0.1))
    np.testing.assert_allclose(force(factors), 1e3 * (1 + factors * 0.5), rtol=1e-12)


def test_flores_with_restitution_08_has_factor_04():
    same = DampingFactor(stiffness=1e9, factor=0.4).force(1e-4, 0.05, 0.1)
    np.testing.assert_allclose(Flores(stiffness=1e9, restitution=0.8).force(1e-4, 0.05, 0.1), same)
