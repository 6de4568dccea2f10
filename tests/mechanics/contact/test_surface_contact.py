"""Contact with a surface: signs, states and power."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Flores, Hertz, SurfaceContact, contact_kinematics
from dovetail.mechanics.friction import Bristle, Brush, Coulomb

RNG = np.random.default_rng(5)


def test_penetration_is_minus_gap_and_slip_lies_in_the_surface():
    normal = RNG.normal(size=(20, 3))
    normal = jnp.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
    velocity = jnp.asarray(RNG.normal(size=(20, 3)))
    depth, speed, slip = contact_kinematics(jnp.full(20, -0.3), normal, velocity)
    np.testing.assert_array_equal(depth, 0.3)
    np.testing.assert_allclose(jnp.sum(slip * normal, -1), 0.0, atol=1e-15)
    np.testing.assert_allclose(slip - speed[:, None] * normal, velocity, atol=1e-15)


def test_power_is_stored_plus_dissipated_power():
    surface_contact = SurfaceContact(Flores(stiffness=1e6), Coulomb(mu=0.3))
    normal, velocity = jnp.array([0.0, 0.6, 0.8]), jnp.array([0.2, -0.1, -0.4])
    memory = {**surface_contact.init(3), "impact_speed": jnp.asarray(0.4)}
    contact = surface_contact.forces(memory, jnp.asarray(-1e-3), normal, velocity)
    stored = surface_contact.law.elastic_force(contact.depth) * contact.speed
    lost = stored + contact.impact_power + contact.friction_power
    assert -float(contact.force @ velocity) == pytest.approx(float(lost), rel=1e-12)


@pytest.mark.parametrize("friction", [Brush(presliding_distance=1e-3), Bristle()])
def test_states_are_held_in_contact_and_released_when_separated(friction):
    surface_contact = SurfaceContact(Flores(stiffness=1e6), friction)
    memory = {"impact_speed": jnp.asarray(0.4), "bristle": jnp.array([1e-4, 0.0])}
    normal, velocity = jnp.array([0.0, 1.0]), jnp.array([0.1, -0.2])
    in_contact = surface_contact.update_memory(
        memory, surface_contact.forces(memory, jnp.asarray(-1e-3), normal, velocity)
    )
    np.testing.assert_array_equal(in_contact["bristle"], memory["bristle"])
    assert float(in_contact["impact_speed"]) == 0.4
    forces = surface_contact.forces(memory, jnp.asarray(1e-3), normal, velocity)
    separated = surface_contact.update_memory(memory, forces)
    assert float(separated["impact_speed"]) == pytest.approx(0.2)
    if friction.moves_anchors:
        np.testing.assert_array_equal(separated["bristle"], 0.0)
    else:  # relaxes over 1 mm of slip
        np.testing.assert_allclose(forces.rate["bristle"], [-1e-4 * 0.1 / 1e-3, 0.0])


def test_jumps_only_with_impact_speed_or_anchors():
    assert not SurfaceContact(Hertz(stiffness=1e6), Brush()).jumps
    assert SurfaceContact(Flores(stiffness=1e6), Brush()).jumps
    assert SurfaceContact(Hertz(stiffness=1e6), Bristle()).jumps


def test_bristles_are_projected_on_the_surface():
    surface_contact = SurfaceContact(Hertz(stiffness=1e6), Brush())
    memory = {"impact_speed": jnp.zeros(()), "bristle": jnp.array([1e-4, 5e-4])}
    contact = surface_contact.forces(memory, jnp.asarray(-1e-3), jnp.array([0.0, 1.0]), jnp.zeros(2))
    np.testing.assert_allclose(contact.bristle, [1e-4, 0.0])
    assert float(contact.force[1]) == pytest.approx(float(contact.normal_force))
