"""A storey answers displacement, velocity and acceleration."""

import jax.numpy as jnp
import pytest

from dovetail.core.errors import ParameterError
from dovetail.specimens import Storey


def test_force_opposes_spring_damper_and_inertia():
    storey = Storey(mass=2.0, stiffness=200.0, damping_ratio=0.1)
    u = {"displacement": jnp.array(0.01), "velocity": jnp.array(0.5), "acceleration": jnp.array(-3.0)}
    assert float(storey.damping) == pytest.approx(2 * 0.1 * 20.0)  # sqrt(k m) = 20
    assert float(storey.output(0.0, (), u)["force"]) == pytest.approx(-(200 * 0.01 + 4.0 * 0.5 - 2 * 3.0))


def test_the_storey_is_inertial_so_the_reference_solves_for_its_force():
    assert Storey.inertial


def test_a_storey_without_mass_is_rejected():
    with pytest.raises(ParameterError, match="Storey.mass"):
        Storey(mass=0.0, stiffness=1.0)
