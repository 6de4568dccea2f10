"""A spring that relaxes: stiff when loaded fast, soft when held."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Sampled
from dovetail.specimens import StandardLinearSolid

SPRING = StandardLinearSolid(k=1000.0, relaxing_fraction=0.2, tau=2.0).with_sample_time(0.1, (2,))
HELD = {name: jnp.array([0.01, -0.02]) for name in ("displacement", "velocity", "acceleration")}


def test_fast_loading_has_the_full_stiffness():
    force = SPRING.output(0.0, SPRING.init(), HELD)["force"]
    assert np.asarray(force) == pytest.approx([-10.0, 20.0])


def test_at_constant_displacement_the_force_relaxes_by_its_fraction():
    block = Sampled(SPRING, RK4())
    x = block.init()
    for i in range(20):
        x, shown = block.step(0.1 * i, 0.1, x, HELD)
    # after one time constant; RK4 at a twentieth of it is exact to 1e-8
    assert float(shown["force"][0]) == pytest.approx(-10.0 * (0.8 + 0.2 * np.exp(-1.0)), rel=1e-7)
