"""Where a gap and its rate become a force: signs, memory, power."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Flores, Meeting, approach
from dovetail.mechanics.friction import Brush, Coulomb

RNG = np.random.default_rng(5)


def test_depth_grows_as_the_gap_closes_and_slip_lies_in_the_surface():
    normal = RNG.normal(size=(20, 3))
    normal = jnp.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
    velocity = jnp.asarray(RNG.normal(size=(20, 3)))
    depth, speed, slip = approach(jnp.full(20, -0.3), normal, velocity)
    np.testing.assert_array_equal(depth, 0.3)
    np.testing.assert_allclose(jnp.sum(slip * normal, -1), 0.0, atol=1e-15)
    np.testing.assert_allclose(slip - speed[:, None] * normal, velocity, atol=1e-15)


def test_the_power_given_is_what_the_laws_say_they_store_and_lose():
    meeting = Meeting(Flores(stiffness=1e6), Coulomb(mu=0.3))
    normal, velocity = jnp.array([0.0, 0.6, 0.8]), jnp.array([0.2, -0.1, -0.4])
    memory = {**meeting.init(3), "impact_speed": jnp.asarray(0.4)}
    met = meeting.at(memory, jnp.asarray(-1e-3), normal, velocity)
    stored = meeting.law.elastic_force(met.depth) * met.speed
    lost = stored + met.impact_power + met.friction_power
    assert -float(met.force @ velocity) == pytest.approx(float(lost), rel=1e-12)


def test_memory_is_kept_in_contact_and_let_go_apart():
    meeting = Meeting(Flores(stiffness=1e6), Brush())
    memory = {"impact_speed": jnp.asarray(0.4), "bristle": jnp.array([1e-4, 0.0])}
    normal, velocity = jnp.array([0.0, 1.0]), jnp.array([0.1, -0.2])
    kept = meeting.after(memory, meeting.at(memory, jnp.asarray(-1e-3), normal, velocity))
    np.testing.assert_array_equal(kept["bristle"], memory["bristle"])
    assert float(kept["impact_speed"]) == 0.4
    gone = meeting.after(memory, meeting.at(memory, jnp.asarray(1e-3), normal, velocity))
    np.testing.assert_array_equal(gone["bristle"], 0.0)
    assert float(gone["impact_speed"]) == pytest.approx(0.2)
