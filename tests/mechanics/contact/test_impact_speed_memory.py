import jax.numpy as jnp

from dovetail.mechanics.contact import Latch

LATCH = Latch()


def test_it_follows_the_approach_and_holds_in_contact():
    held = LATCH.update(jnp.array(0.0), jnp.array(-1e-6), jnp.array(0.1))
    held = LATCH.update(held, jnp.array(1e-6), jnp.array(0.05))
    assert float(held) == 0.1
    held = LATCH.update(held, jnp.array(-1e-6), jnp.array(0.03))
    assert float(held) == 0.03


def test_a_separating_or_grazing_body_counts_with_the_floor():
    assert float(LATCH.update(jnp.array(0.1), jnp.array(-1.0), jnp.array(-0.1))) == 1e-4


def test_a_contact_that_begins_before_anything_was_latched_takes_its_present_speed():
    assert float(LATCH.impact_speed(jnp.array(0.0), jnp.array(0.1))) == 0.1
    held = LATCH.update(jnp.array(0.0), jnp.array(1e-6), jnp.array(0.1))
    assert float(LATCH.update(held, jnp.array(2e-6), jnp.array(0.05))) == 0.1
