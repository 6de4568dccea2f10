"""Ropes of the catalogue and runs for the targets."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.studies.capture import assembly


def test_a_rope_of_the_catalogue_has_the_stiffness_of_the_source():
    rope = assembly.rope("uhmwpe-24", length=250.0, n=3)
    assert float(rope.axial_stiffness) == pytest.approx(
        25e3, rel=2e-3
    )  # [N/m] from which the modulus was found
    assert float(rope.bending) == pytest.approx(225.0, rel=2e-3)  # [N m^2]
    assert float(rope.mass) == pytest.approx(82.25)
    assert float(rope.joint_damping) == pytest.approx(822.5)


def test_a_run_that_blows_up_is_told_from_one_that_does_not():
    chain = assembly.published_rope(3, bending=300.0, c=100.0)
    start = chain.at(0.0, np.pi / 4, 0.0)
    held = assembly.survives(chain, start, assembly.tip_force(3), RK4(), 5e-3, 0.5)
    lost = assembly.survives(chain, start, assembly.tip_force(3), RK4(), 0.5, 500.0)
    assert held[1]
    assert held[0] == pytest.approx(0.5)
    assert not lost[1]
    assert jnp.isfinite(lost[0])
