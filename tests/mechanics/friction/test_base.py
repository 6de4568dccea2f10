"""What every friction law obeys."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.friction import Coulomb, Friction, NoFriction

NORMAL = jnp.array([50.0])
LAWS = [part() for part in parts_by_kind(Friction).values()]
names = [type(law).__name__ for law in LAWS]


def steady(law, slip, steps=4000, way=0.05):
    """Force (d,) in steady slip, after a way [m] of bending; the anchor is settled after each step."""
    slip = jnp.asarray(slip, float)
    h = way / steps / jnp.linalg.norm(slip)

    def one(z, _):
        _, rate, relax = law.act(NORMAL, slip, z)
        z = (z + h * rate + h * relax * z) / (1 + h * relax)  # the decay implicitly
        return law.settled(NORMAL, slip, z), None

    z, _ = jax.lax.scan(one, law.memory(slip.size), None, length=steps)
    return law.act(NORMAL, slip, z)[0]


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_steady_slip_in_any_direction_is_resisted_by_the_coefficient(law):
    for slip in ([0.3], [0.1, -0.2], [0.1, 0.2, -0.3]):
        force = jax.jit(lambda slip: steady(law, slip))(jnp.array(slip))
        speed = np.linalg.norm(slip)
        expected = -50.0 * law.coefficient(jnp.asarray(speed)) * np.array(slip) / speed
        np.testing.assert_allclose(force, expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_at_rest_there_is_no_force_and_a_finite_slope(law):
    z = law.memory(3)
    act = jax.jit(lambda slip, z: law.act(NORMAL, slip, z)[0])
    np.testing.assert_array_equal(act(jnp.zeros(3), z), 0.0)
    assert all(np.isfinite(slope).all() for slope in jax.jacfwd(act, (0, 1))(jnp.zeros(3), z))


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_without_normal_force_there_is_none_and_many_contacts_are_each_their_own(law):
    rng = np.random.default_rng(1)
    normal, slip = jnp.array([[0.0], [20.0], [70.0]]), jnp.asarray(rng.normal(size=(3, 2)))
    z = 1e-5 * jnp.asarray(rng.normal(size=law.memory(3, 2).shape))
    act = eqx.filter_jit(law.act)
    together = act(normal, slip, z)
    np.testing.assert_array_equal(together[0][0], 0.0)
    for i in range(3):
        for all_of_them, alone in zip(together, act(normal[i], slip[i], z[i]), strict=True):
            np.testing.assert_allclose(all_of_them[i], alone, rtol=1e-12)


def test_a_law_without_memory_has_an_empty_one():
    assert {law.memory(4, 3).shape == (4, 3) for law in LAWS if law.remembers} == {True}
    assert {law.memory(4, 3).shape == (4, 0) for law in LAWS if not law.remembers} == {True}
    assert {law.remembers for law in LAWS} == {True, False}


def test_no_friction_is_none():
    np.testing.assert_array_equal(NoFriction().act(NORMAL, jnp.ones(2), jnp.zeros(0))[0], 0.0)


def test_negative_friction_is_refused():
    with pytest.raises(ParameterError, match="Coulomb.mu: got -0.1; must be at least 0"):
        Coulomb(mu=-0.1)
