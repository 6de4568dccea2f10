import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow, ImplicitEuler


class Fast(Flow):
    """x' = -1e6 (x - cos t): a time constant of a microsecond."""

    def init(self):
        return jnp.asarray(2.0)

    def derivative(self, t, x, u):
        return -1e6 * (x - jnp.cos(t))

    def output(self, t, x, u):
        return x


def test_a_step_solves_its_equation_at_the_end_of_the_step():
    x, _ = ImplicitEuler().step(Fast(), 1.0, 0.1, jnp.asarray(2.0), None, ())
    # (1 + 1e5) x = 2 + 1e5 cos(1.1)
    np.testing.assert_allclose(x, (2 + 1e5 * np.cos(1.1)) / (1 + 1e5), rtol=1e-12)


def test_unresolved_fast_motion_is_damped_in_one_step():
    assert ImplicitEuler().amplification(-1e5) == pytest.approx(1e-5, rel=1e-4)
