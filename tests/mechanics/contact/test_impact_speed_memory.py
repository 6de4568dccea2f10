import jax.numpy as jnp

from dovetail.mechanics.contact import ImpactSpeedMemory

MEMORY = ImpactSpeedMemory()


def test_stores_the_approach_speed_and_holds_it_in_contact():
    stored = MEMORY.update(jnp.array(0.0), jnp.array(-1e-6), jnp.array(0.1))
    stored = MEMORY.update(stored, jnp.array(1e-6), jnp.array(0.05))
    assert float(stored) == 0.1
    stored = MEMORY.update(stored, jnp.array(-1e-6), jnp.array(0.03))
    assert float(stored) == 0.03


def test_separating_body_has_the_minimum_speed():
    assert float(MEMORY.update(jnp.array(0.1), jnp.array(-1.0), jnp.array(-0.1))) == 1e-4


def test_contact_without_stored_speed_uses_the_present_speed():
    assert float(MEMORY.impact_speed(jnp.array(0.0), jnp.array(0.1))) == 0.1
    stored = MEMORY.update(jnp.array(0.0), jnp.array(1e-6), jnp.array(0.1))
    assert float(MEMORY.update(stored, jnp.array(2e-6), jnp.array(0.05))) == 0.1
