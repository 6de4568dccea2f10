import jax
import jax.numpy as jnp
import pytest

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


def test_the_continuous_form_arrives_at_the_approach_speed():
    def step(w, _):  # Euler steps of a microsecond over 0.2 ms, twenty lags
        return w + 1e-6 * LATCH.rate(w, jnp.array(-1e-3), jnp.array(0.1)), None

    w, _ = jax.lax.scan(step, jnp.array(0.0), None, length=200)
    assert float(w) == pytest.approx(0.1, rel=1e-8)
    assert float(LATCH.rate(w, jnp.array(1e-6), jnp.array(-0.05))) == 0.0
