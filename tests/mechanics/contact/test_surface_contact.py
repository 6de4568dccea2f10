"""Where a gap and its rate become a force: signs, memory, power."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Flores, Hertz, Meeting, approach
from dovetail.mechanics.friction import Bristle, Brush, Coulomb

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


@pytest.mark.parametrize("friction", [Brush(way=1e-3), Bristle()])
def test_memory_is_kept_in_contact_and_let_go_apart(friction):
    meeting = Meeting(Flores(stiffness=1e6), friction)
    memory = {"impact_speed": jnp.asarray(0.4), "bristle": jnp.array([1e-4, 0.0])}
    normal, velocity = jnp.array([0.0, 1.0]), jnp.array([0.1, -0.2])
    kept = meeting.after(memory, meeting.at(memory, jnp.asarray(-1e-3), normal, velocity))
    np.testing.assert_array_equal(kept["bristle"], memory["bristle"])
    assert float(kept["impact_speed"]) == 0.4
    apart = meeting.at(memory, jnp.asarray(1e-3), normal, velocity)
    gone = meeting.after(memory, apart)
    assert float(gone["impact_speed"]) == pytest.approx(0.2)
    if friction.settles:
        np.testing.assert_array_equal(gone["bristle"], 0.0)
    else:  # over a millimetre of way along the surface
        np.testing.assert_allclose(apart.rate["bristle"], [-1e-4 * 0.1 / 1e-3, 0.0])


def test_what_needs_no_memory_at_the_end_of_a_step_says_so():
    assert not Meeting(Hertz(stiffness=1e6), Brush()).jumps
    assert Meeting(Flores(stiffness=1e6), Brush()).jumps
    assert Meeting(Hertz(stiffness=1e6), Bristle()).jumps


def test_bristles_are_kept_in_the_surface():
    meeting = Meeting(Hertz(stiffness=1e6), Brush())
    memory = {"impact_speed": jnp.zeros(()), "bristle": jnp.array([1e-4, 5e-4])}
    met = meeting.at(memory, jnp.asarray(-1e-3), jnp.array([0.0, 1.0]), jnp.zeros(2))
    np.testing.assert_allclose(met.bristle, [1e-4, 0.0])
    assert float(met.force[1]) == pytest.approx(float(met.normal_force))
