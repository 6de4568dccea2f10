"""Ropes of the catalogue and runs for the targets."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.studies.capture import assembly


def test_a_rope_of_the_catalogue_has_the_stiffness_of_the_source():
    rope = assembly.rope("uhmwpe-24", length=250.0, n=3)
    assert float(rope.stiffness / rope.length) == pytest.approx(
        25e3, rel=2e-3
    )  # [N/m], where the modulus is from
    assert float(rope.bending) == pytest.approx(225.0, rel=2e-3)  # [N m^2]
    assert float(rope.mass) == pytest.approx(82.25)
    assert float(rope.joint_damping) == pytest.approx(822.5)


def test_the_ropes_of_the_source_have_joint_damping_in_proportion_to_their_mass():
    for rope, mass in ((assembly.published_rope, 80.0), (assembly.hanging_rope, 10.0)):
        chain = rope(3, bending=1.0, c=0.03)
        assert float(chain.mass) == mass
        assert float(chain.joint_damping) == pytest.approx(0.03 * mass)


def test_a_diverging_run_is_detected():
    chain = assembly.published_rope(3, bending=300.0, c=100.0)
    start = chain.rest_state(0.0, np.pi / 4, 0.0)
    held = assembly.survives(chain, start, assembly.tip_force(3), RK4(), 5e-3, 0.5)
    lost = assembly.survives(chain, start, assembly.tip_force(3), RK4(), 0.5, 500.0)
    assert held[1]
    assert held[0] == pytest.approx(0.5)
    assert not lost[1]
    assert jnp.isfinite(lost[0])


@pytest.mark.parametrize("name", ["uhmwpe-16", "uhmwpe-24", "uhmwpe-32", "steel-24", "steel-32"])
def test_a_rope_of_the_catalogue_has_the_stiffness_and_mass_of_its_section(name):
    entry, chain = assembly.catalogue()[name], assembly.rope(name, length=180.0, c=7.0, c_k=30.0)
    d, E = entry["diameter"], entry["modulus"]
    assert d == pytest.approx(int(name.split("-")[1]) * 1e-3)
    assert float(chain.mass) == pytest.approx(180.0 * entry["mass_per_length"])
    assert float(chain.stiffness) == pytest.approx(E * np.pi * (d / 2) ** 2)
    assert float(chain.bending) == pytest.approx(E * np.pi * (d / 2) ** 4 / 4)
    assert float(chain.joint_damping) == pytest.approx(7.0 * float(chain.mass))
    assert float(chain.axial_damping) == pytest.approx(30.0 * float(chain.mass) * 180.0)
