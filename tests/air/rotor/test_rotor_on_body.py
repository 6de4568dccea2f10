"""A rotor on an airframe."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Blade, Controls, Rotor, RotorLoad, RotorSchedule, SteadyWind, WindTable
from dovetail.mechanics.bodies.loads import BodyMotion
from dovetail.mechanics.spatial import euler

ROTOR = Rotor(Blade(radius=3.0, chord=0.15, lift_slope=5.7, elements=10), sectors=8)
PLAN = RotorSchedule(speed=60.0, collective=0.1)
act = jax.jit(lambda load, motion: load.act(0.0, motion))


def motion(angles=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), offset=(0.0, 0.0, 0.0)):
    R = euler.to_matrix(np.array(angles))
    return BodyMotion(R, *(jnp.asarray(v, float) for v in ((1.0, 2.0, 3.0), velocity, spin, offset)))


def test_in_hover_it_lifts_along_the_body_and_an_offset_centre_feels_a_moment():
    force, moment = act(RotorLoad(ROTOR, PLAN), motion(offset=(0.0, 0.1, 0.0)))
    thrust = float(jax.jit(lambda: ROTOR.loads(Controls(60.0, 0.1)).thrust)())
    np.testing.assert_allclose(force, [0.0, 0.0, thrust], atol=1e-9)
    np.testing.assert_allclose(moment[0], -0.1 * thrust)


def test_flying_into_still_air_is_standing_in_a_head_wind():
    flying = act(RotorLoad(ROTOR, PLAN), motion(velocity=(5.0, 0.0, 0.0)))
    standing = act(RotorLoad(ROTOR, PLAN, SteadyWind(wind=(-5.0, 0.0, 0.0))), motion())
    np.testing.assert_allclose(flying[1], standing[1], rtol=1e-12)


def test_the_wind_in_body_axes_is_equal_at_every_element():
    wind = SteadyWind(wind=(-5.0, 0.0, 0.0))
    turned = motion(angles=(0.0, 0.0, np.pi / 2))  # nose to port: the head-wind now comes from starboard
    hub = act(RotorLoad(ROTOR, PLAN, wind), turned)
    each = act(RotorLoad(ROTOR, PLAN, wind, wind_at="elements"), turned)
    np.testing.assert_allclose(hub[1], each[1], rtol=1e-10, atol=1e-9)
    port = act(RotorLoad(ROTOR, PLAN, SteadyWind(wind=(0.0, 5.0, 0.0))), motion())
    np.testing.assert_allclose(hub[1], port[1], rtol=1e-10, atol=1e-9)


def test_it_ends_with_the_table_that_ends_first():
    table = WindTable(times=[0.0, 9.0], wind=[[0, 0, 0], [0, 3, 0]])
    assert RotorLoad(ROTOR, PLAN, table).valid_until == pytest.approx(9.0)
    assert RotorLoad(ROTOR, PLAN).valid_until == np.inf
