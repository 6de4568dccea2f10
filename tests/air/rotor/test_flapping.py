"""Flapping against the closed forms of a hinged blade without inflow, and its wake."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import Blade, Controls, FlappingRotor, HingedBlade, PittPeters, Rotor, Section
from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop

BLADE = Blade(radius=5.0, chord=0.3, root_cutout=0.005, effective_radius=1.0, lift_slope=5.7, elements=40)
PLAIN = Rotor(BLADE, Section(compressibility="off"), sectors=16, inflow="none")
SPEED, INERTIA = 40.0, 300.0
LOCK = 1.225 * 5.7 * 0.3 * 5.0**4 / INERTIA


def hinged(**settings):
    return dataclasses.replace(PLAIN, structure=HingedBlade(radius=5.0, inertia=INERTIA, **settings))


@jax.jit
def settle(rotor, u):
    def step(x, _):
        return with_stage_loop(RK4()).step(rotor, 0.0, 4e-3, x, u, ())[0], None

    return jax.lax.scan(step, rotor.init(), None, length=800)[0]


def test_the_cone_is_that_of_the_lock_number():
    x = settle(FlappingRotor(hinged()), {"controls": Controls(SPEED, 0.1)})
    np.testing.assert_allclose(x["flap"], [LOCK / 8 * 0.1, 0.0, 0.0], rtol=1e-3, atol=1e-9)


def test_cyclic_pitch_tilts_the_disc_by_its_own_angle_a_quarter_turn_later():
    rotor = FlappingRotor(hinged())
    u = {"controls": Controls(SPEED, 0.1, 0.02, 0.0)}
    x = settle(rotor, u)
    np.testing.assert_allclose(x["flap"][1:], [0.0, 0.02], atol=1e-5)
    got = jax.jit(FlappingRotor.loads)(rotor, x, u)
    # port goes up, thrust leans to starboard, and a hinge in the axis passes no moment on
    assert float(got.force[1]) == pytest.approx(-0.02 * float(got.thrust), rel=2e-3)
    assert float(jnp.max(jnp.abs(got.moment[:2]))) < 1e-9


def test_a_spring_brings_the_flapping_forward_and_loads_the_hub():
    rotor = FlappingRotor(hinged(spring=1e5))
    u = {"controls": Controls(SPEED, 0.1, 0.02, 0.0)}
    x = settle(rotor, u)
    lag = np.arctan2(float(x["flap"][2]), float(x["flap"][1]))
    assert lag == pytest.approx(np.arctan2(LOCK / 8, 1e5 / INERTIA / SPEED**2), rel=1e-3)
    np.testing.assert_allclose(eqx.filter_jit(rotor.loads)(x, u).moment[0], 2 * 1e5 * x["flap"][2], rtol=1e-9)


def test_a_hub_that_turns_drags_the_disc_behind_it():
    rotor = FlappingRotor(hinged())
    p = 0.1
    x = settle(rotor, {"controls": Controls(SPEED, 0.1), "angular_velocity": jnp.array([p, 0.0, 0.0])})
    # disc lags the shaft by 16/(gamma Omega) times the rate, and flaps across by the rate over the speed
    np.testing.assert_allclose(x["flap"][2], -16 / LOCK * p / SPEED, rtol=2e-3)
    np.testing.assert_allclose(abs(float(x["flap"][1])), p / SPEED, rtol=2e-3)


thrust_of = eqx.filter_jit(lambda rotor, x, u: rotor.loads(x, u).disc.thrust.sum())


@pytest.mark.parametrize("wind", [0.0, 15.0])
def test_the_steady_wake_equals_momentum_theory(wind):
    rotor = FlappingRotor(hinged(), wake=PittPeters())
    u = {"controls": Controls(SPEED, 0.1), "wind": jnp.array([-wind, 0.0, 0.0])}
    x = settle(rotor, u)
    thrust = float(thrust_of(rotor, x, u) * 4 / 16)
    v0 = float(x["inflow"][0])
    # Glauert: T = 2 rho A v |V|
    assert thrust == pytest.approx(
        2 * 1.225 * np.pi * 25.0 * v0 * np.hypot(wind, v0), rel=2e-3 if wind else 1e-6
    )
    if wind:
        assert float(x["inflow"][1]) < 0
        assert float(x["flap"][1]) > 0


def test_rigid_blades_have_no_flapping():
    with pytest.raises(ParameterError, match="structure = hinged-blade or beam-blade"):
        FlappingRotor(PLAIN)
