"""Properties of every normal law."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.contact import DissipativeLaw, Flores, Hertz, NormalLaw

LAWS = sorted(parts_by_kind(DissipativeLaw))


@jax.jit
def force_and_loss(law, depth, speed):
    return law.force(depth, speed, 0.1), law.dissipated_power(depth, speed, 0.1)


@pytest.mark.parametrize("name", LAWS)
def test_no_force_when_separated_and_no_energy_gain(name):
    """At first contact, just separated, and at 1000 random states; without loss the law equals Hertz contact."""
    law, rng = parts_by_kind(DissipativeLaw)[name](stiffness=9e8), np.random.default_rng(1)
    depth = np.r_[-1e-9, 0.0, rng.uniform(-1e-4, 3e-4, 1000)]
    speed = np.r_[0.1, 0.1, rng.uniform(-0.3, 0.3, 1000)]
    force, loss = map(np.asarray, force_and_loss(law, depth, speed))
    assert np.all(force[depth <= 0] == 0.0)
    assert force.min() >= 0.0
    assert loss.min() >= 0.0
    assert loss.max() > 0.0
    if name != "damping-factor":
        elastic = parts_by_kind(DissipativeLaw)[name](stiffness=9e8, restitution=1.0)
        by_hertz = 9e8 * np.maximum(depth, 0.0) ** 1.5
        np.testing.assert_allclose(force_and_loss(elastic, depth, speed)[0], by_hertz, rtol=1e-9)


def test_tension_in_fast_separation_is_clamped_unless_allowed():
    # at 0.8 the bracket is 1 - 0.4 * 3
    assert float(Flores(stiffness=9e8).force(1e-4, -0.3, 0.1)) == 0.0
    allowed = Flores(stiffness=9e8, tension="allowed").force(1e-4, -0.3, 0.1)
    assert float(allowed) == pytest.approx(9e8 * 1e-6 * (1 - 1.2))


def test_force_is_the_derivative_of_the_stored_energy():
    law = Hertz(stiffness=9e8)
    slope = jax.grad(lambda depth: law.stored_energy(depth))(1e-4)
    assert float(slope) == pytest.approx(float(law.elastic_force(1e-4)))


def test_any_exponent():
    law = Hertz(stiffness=1e6, exponent=1.2)
    np.testing.assert_allclose(law.force(jnp.array(1e-3), 0.0, 0.1), 1e6 * 1e-3**1.2)


def test_derivatives_are_finite_at_contact_and_separated():
    slope = jax.grad(lambda depth: Flores(stiffness=9e8).force(depth, 0.1, 0.1))
    assert float(slope(0.0)) == 0.0
    assert float(slope(-1e-3)) == 0.0


@pytest.mark.parametrize("wrong", [0.0, -0.2, 1.01])
def test_restitution_outside_its_range_is_an_error(wrong):
    with pytest.raises(ParameterError, match="Flores.restitution: got .*; must be above 0 and at most 1"):
        Flores(stiffness=9e8, restitution=wrong)


def test_laws_are_registered_as_kinds():
    assert {"hertz", "kelvin-voigt", "flores", "gonthier", "gonthier-exact"} <= set(parts_by_kind(NormalLaw))
