"""Properties of every friction law."""

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


def steady_force(law, slip, steps=4000, distance=0.05):
    """Return the force (d,) in steady slip, after sliding over a distance [m]; an anchor update after each step."""
    slip = jnp.asarray(slip, float)
    h = distance / steps / jnp.linalg.norm(slip)

    def one(z, _):
        _, rate, relax = law.force_and_rate(NORMAL, slip, z)
        z = (z + h * rate + h * relax * z) / (1 + h * relax)  # the decay implicitly
        return law.update_anchors(NORMAL, slip, z), None

    z, _ = jax.lax.scan(one, law.initial_bristles(slip.size), None, length=steps)
    return law.force_and_rate(NORMAL, slip, z)[0]


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_steady_slip_force_is_coefficient_times_normal_force(law):
    for slip in ([0.3], [0.1, -0.2], [0.1, 0.2, -0.3]):
        force = jax.jit(lambda slip: steady_force(law, slip))(jnp.array(slip))
        speed = np.linalg.norm(slip)
        expected = -50.0 * law.coefficient(jnp.asarray(speed)) * np.array(slip) / speed
        np.testing.assert_allclose(force, expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_force_at_rest_is_zero_with_finite_slope(law):
    z = law.initial_bristles(3)
    force = jax.jit(lambda slip, z: law.force_and_rate(NORMAL, slip, z)[0])
    np.testing.assert_array_equal(force(jnp.zeros(3), z), 0.0)
    assert all(np.isfinite(slope).all() for slope in jax.jacfwd(force, (0, 1))(jnp.zeros(3), z))


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_no_force_without_normal_force_and_batches_are_independent(law):
    rng = np.random.default_rng(1)
    normal, slip = jnp.array([[0.0], [20.0], [70.0]]), jnp.asarray(rng.normal(size=(3, 2)))
    z = 1e-5 * jnp.asarray(rng.normal(size=law.initial_bristles(3, 2).shape))
    force_and_rate = eqx.filter_jit(law.force_and_rate)
    batch = force_and_rate(normal, slip, z)
    np.testing.assert_array_equal(batch[0][0], 0.0)
    for i in range(3):
        for values, single in zip(batch, force_and_rate(normal[i], slip[i], z[i]), strict=True):
            np.testing.assert_allclose(values[i], single, rtol=1e-12)


def test_a_law_without_bristles_has_an_empty_array():
    assert {law.initial_bristles(4, 3).shape == (4, 3) for law in LAWS if law.has_bristles} == {True}
    assert {law.initial_bristles(4, 3).shape == (4, 0) for law in LAWS if not law.has_bristles} == {True}
    assert {law.has_bristles for law in LAWS} == {True, False}


def test_no_friction_has_no_force():
    np.testing.assert_array_equal(NoFriction().force_and_rate(NORMAL, jnp.ones(2), jnp.zeros(0))[0], 0.0)


def test_negative_coefficient_is_an_error():
    with pytest.raises(ParameterError, match="Coulomb.mu: got -0.1; must be at least 0"):
        Coulomb(mu=-0.1)
