"""The rotor: momentum, moments, guards, and what the source computed."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import Blade, Controls, Rotor, Section

GENERIC = Blade(radius=3.0, chord=0.15, lift_slope=0.1, elements=80)  # reconstructed; table 6.3
OFF = Section(compressibility="off")
REAL = Blade(radius=3.0, chord=0.15, lift_slope=5.7, drag_offset=0.01, elements=40)


@eqx.filter_jit
def loads(rotor, controls, **flight):
    return rotor.loads(controls, **flight)


@pytest.mark.slow
def test_thrust_of_the_printed_form_falls_with_finer_elements_and_of_midpoints_does_not():
    blades = [dataclasses.replace(GENERIC, elements=n) for n in (40, 80, 160)]
    printed = [float(Rotor.as_published(b, section=OFF).loads(Controls(135.0, 0.14)).thrust) for b in blades]
    np.testing.assert_allclose(printed, [608.8, 599.2, 594.6], rtol=5e-4)
    middle = Rotor(GENERIC, OFF, inflow="published")
    assert float(loads(middle, Controls(135.0, 0.14)).thrust) == pytest.approx(590.0, rel=5e-4)


def test_momentum_of_each_annulus_is_its_thrust():
    rotor = Rotor(dataclasses.replace(REAL, drag_offset=0.0), OFF, inflow="iterated")
    got = loads(rotor, Controls(60.0, 0.1), velocity=jnp.array([0.0, 0.0, 2.0]))
    cut, disc = rotor.blade.effective_elements(), got.disc
    momentum = 4 * np.pi * 1.225 * cut.r * (2.0 + disc.induced[0]) * disc.induced[0] * cut.width
    np.testing.assert_allclose(4 * disc.thrust[0], momentum, rtol=1e-9)


def test_without_wind_the_only_moment_is_the_torque():
    for rotor in (
        Rotor.as_published(GENERIC, section=OFF),
        Rotor(REAL, inflow="iterated", tip_loss="prandtl"),
    ):
        got = loads(rotor, Controls(100.0, 0.14))
        assert float(jnp.max(jnp.abs(got.moment[:2]))) < 1e-12 * float(got.thrust) * 3.0
        assert float(jnp.max(jnp.abs(got.force[:2]))) < 1e-12 * float(got.thrust)


def test_head_wind_rolls_to_starboard_down_and_the_moment_is_odd_in_it():
    rotor = Rotor.as_published(GENERIC, section=OFF)
    head = loads(rotor, Controls(135.0, 0.14), wind=jnp.array([-0.5, 0.0, 0.0])).moment
    tail = loads(rotor, Controls(135.0, 0.14), wind=jnp.array([0.5, 0.0, 0.0])).moment
    assert float(head[0]) == pytest.approx(-2.2, abs=0.05)  # the advancing side is starboard
    assert float(tail[0]) == pytest.approx(-float(head[0]), rel=1e-9)
    cross = loads(rotor, Controls(135.0, 0.14), wind=jnp.array([0.0, 0.5, 0.0])).moment
    np.testing.assert_allclose(
        [cross[0], cross[1]], [0.0, -head[0]], atol=1e-9
    )  # the same, a quarter turn on


def test_cyclic_pitch_moves_thrust_towards_the_larger_pitch():
    rotor = Rotor(GENERIC, OFF, inflow="published", forces="thrust")
    got = loads(rotor, Controls(135.0, 0.145, 0.005, np.pi / 2), wind=jnp.array([-0.5, 0.0, 0.0]))
    assert float(got.moment[0]) == pytest.approx(19.6, rel=0.01)
    assert float(got.thrust) == pytest.approx(611, rel=1e-3)


def test_thrust_grows_with_speed_squared_and_decreases_in_climb():
    rotor = Rotor(GENERIC, OFF)
    half, full = (float(loads(rotor, Controls(w, 0.14)).thrust) for w in (50.0, 100.0))
    assert full == pytest.approx(4 * half, rel=1e-12)
    assert float(loads(rotor, Controls(100.0, 0.14), velocity=jnp.array([0.0, 0.0, 3.0])).thrust) < full


@pytest.mark.slow
def test_forms_disagree_as_much_as_the_missing_blades_and_the_wrong_speed():
    at = Controls(60.0, 0.1)
    printed = float(loads(Rotor(REAL, OFF, inflow="published"), at).thrust)
    momentum = float(loads(Rotor(REAL, OFF), at).thrust)
    iterated = loads(Rotor(REAL, OFF, inflow="iterated"), at)
    assert printed > 1.3 * momentum
    assert float(iterated.thrust) == pytest.approx(momentum, rel=0.02)  # angles of 0.1 rad
    assert float(iterated.residual) < 1e-10
    lossy = loads(Rotor(REAL, OFF, inflow="iterated", tip_loss="prandtl"), at)
    assert float(lossy.thrust) < float(iterated.thrust)


@pytest.mark.parametrize(
    "inflow", ["published", "momentum", pytest.param("iterated", marks=pytest.mark.slow)]
)
def test_a_stopped_rotor_has_a_finite_force_in_a_gust_and_none_in_still_air(inflow):
    rotor, wind = Rotor(REAL, inflow=inflow), jnp.array([-10.0, 8.0, 2.0])
    assert float(jnp.max(jnp.abs(loads(rotor, Controls(0.0, 0.14)).force))) == 0.0
    gust, slope = eqx.filter_jit(
        jax.value_and_grad(lambda w: rotor.loads(Controls(w, 0.14), wind=wind).thrust)
    )(0.0)
    assert np.isfinite(slope)
    assert abs(float(gust)) > 1.0


def test_in_reverse_flow_positive_pitch_pushes_down():
    rotor = Rotor(REAL, inflow="none", sectors=4)
    disc = loads(rotor, Controls(0.0, 0.1), wind=jnp.array([-10.0, 0.0, 0.0])).disc
    port, starboard = disc.thrust[1], disc.thrust[3]  # retreating: the wind comes from behind
    assert float(jnp.max(port)) < 0 < float(jnp.min(starboard))


def test_rotor_power_equals_the_power_given_to_the_air():
    rotor = Rotor(REAL, OFF, inflow="iterated")
    got = loads(rotor, Controls(60.0, 0.12))
    induced = 4 * float(jnp.sum(got.disc.thrust[0] * got.disc.induced[0]))
    assert float(got.power) == pytest.approx(float(got.torque) * 60.0)
    profile = 4 * float(
        jnp.sum(0.5 * 1.225 * 0.01 * got.disc.v2[0] ** 3 * 0.15 * rotor.blade.effective_elements().width)
    )
    assert float(got.power) == pytest.approx(induced + profile, rel=0.02)


def test_equal_winds_at_all_elements_equal_one_uniform_wind():
    rotor = Rotor(REAL)
    wind = jnp.array([-5.0, 2.0, 1.0])
    one = loads(rotor, Controls(60.0, 0.1), wind=wind)
    each = loads(rotor, Controls(60.0, 0.1), wind=jnp.broadcast_to(wind, (20, 40, 3)))
    np.testing.assert_allclose(one.moment, each.moment, rtol=1e-12)


def test_turning_the_hub_is_resisted():
    rotor = Rotor(REAL)
    roll = loads(rotor, Controls(60.0, 0.1), angular_velocity=jnp.array([0.1, 0.0, 0.0])).moment
    assert float(roll[0]) < -1.0
