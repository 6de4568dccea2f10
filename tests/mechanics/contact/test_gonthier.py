import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Gonthier, GonthierExact, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.1010, 0.2046, 0.3042, 0.3978, 0.4877, 0.5773, 0.6696, 0.7680, 0.8764, 1]
EXACT_D = [0.9998, 0.9838, 0.9261, 0.8330, 0.7164, 0.5849, 0.4444, 0.2985, 0.1498]  # for 0.1 ... 0.9


def test_approximation_is_within_003():
    realised = realised_restitution(Gonthier(stiffness=1e9).damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit


def test_exact_damping_realises_the_target():
    target = jnp.array([0.05, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999, 0.999999, 1.0])
    realised = realised_restitution(GonthierExact(stiffness=1e9).damping_factor(target))
    np.testing.assert_allclose(realised, target, atol=1e-8)  # the series near one is good to 1e-9


def test_exact_damping_agrees_with_the_source():
    target = jnp.arange(1, 10) / 10
    damping = GonthierExact(stiffness=1e9).damping_factor(target) * target
    np.testing.assert_allclose(damping, EXACT_D, atol=6e-5)  # half of the last digit


def test_exact_damping_has_a_derivative():
    slope = jax.grad(lambda c: GonthierExact(stiffness=1e9).damping_factor(c))
    f = GonthierExact(stiffness=1e9).damping_factor
    for c in (0.3, 0.8):
        central = (f(c + 1e-5) - f(c - 1e-5)) / 2e-5
        assert float(slope(c)) == pytest.approx(float(central), rel=1e-6)
