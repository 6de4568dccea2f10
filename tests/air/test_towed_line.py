"""What ropes and hoses share: air at a point, drag on their own links, the motion of the tow point."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Accelerating, Dryden, TowedRope, VortexPair
from dovetail.air.bow_wave import HalfBody
from dovetail.air.drogue_hose import steady_flight
from dovetail.mechanics.chain import LinkChain
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion
from dovetail.studies.refuelling.assembly import DRAG, drogue_hose, hose

ROPE = TowedRope(chain=LinkChain(n=2, length=2.0, mass=2.0), airspeed=100.0, density=1.0)
local_wind = eqx.filter_jit(lambda line, t, r, v: line.local_wind(t, r, v))


def report(**air):
    return steady_flight(drogue_hose(chain=hose(5), **air))


@pytest.fixture(scope="module")
def calm():
    return report()


def test_without_disturbance_it_blows_aft_everywhere():
    r = jnp.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(
        local_wind(ROPE, 0.0, r, jnp.zeros((3, 4))), np.array([[-100.0], [0.0], [0.0]]) * np.ones(4)
    )


def test_drag_is_on_the_first_links_and_the_wind_is_relative_to_the_tow_point_s_motion():
    surge = HarmonicMotion(amplitude=(2.0, 0.0, 0.0, 0.0, 0.0, 0.0), omega=5.0)  # ten faster than the stream
    rope = dataclasses.replace(ROPE, motion=surge, drag=DRAG, tow_point=jnp.array([-21.0, 0.0, -0.5]))

    @eqx.filter_jit
    def acting(rope):
        tow = rope.tow(0.0)
        nodes = rope.nodes(rope.chain.straight(jnp.array([0.0, 0.0, -1.0])), tow)
        return nodes.position, *rope.air_loads(nodes, 1, lambda r, v: rope.local_wind(0.0, r, v))

    r, force, wind = acting(rope)
    np.testing.assert_allclose(wind, [-110.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(force[0, 0], -0.5 * 0.071 * 1.0 * 0.6 * 110.0**2, rtol=1e-9)
    np.testing.assert_array_equal(force[:, 1], 0.0)
    np.testing.assert_allclose(r[:, 0], [-21.0, 0.0, -0.5])


def test_a_support_of_given_acceleration_takes_axes_and_air_with_it():
    motion = dataclasses.replace(ROPE, motion=Accelerating(value=(1.0, 0.0, 0.5)), tow_point=jnp.ones(3)).tow(
        3.0
    )
    np.testing.assert_array_equal(motion.position, 1.0)
    np.testing.assert_array_equal(motion.velocity, 0.0)
    np.testing.assert_allclose(motion.acceleration, [1.0, 0.0, 0.5])
    still = dataclasses.replace(ROPE, motion=FixedFrame()).tow(3.0)
    np.testing.assert_array_equal(still.acceleration, 0.0)


@pytest.mark.slow
def test_undisturbed_it_is_the_stream_at_altitude(calm):
    flow = drogue_hose(chain=hose(5), density=None)
    assert float(flow.stream.density) == pytest.approx(0.525, rel=1e-3)
    trimmed = steady_flight(flow)  # density to a third per mille
    np.testing.assert_allclose(trimmed["ball_joint"], calm["ball_joint"], atol=0.01)


@pytest.mark.slow
def test_the_downwash_of_the_tanker_lowers_the_drogue(calm):
    lowered = report(wake=VortexPair(aircraft_mass=120e3, span=50.0, depth=200.0))
    assert lowered["ball_joint"][2] < calm["ball_joint"][2] - 0.1
    assert lowered["residual"] < 1e-6


def test_the_origin_of_the_wake_is_counted_from_the_tow_point():
    wake = VortexPair(aircraft_mass=120e3, span=50.0)
    line = dataclasses.replace(ROPE, wake=wake)
    moved = dataclasses.replace(
        line, tow_point=jnp.array([-20.0, 0.0, 1.0]), wake_origin=jnp.array([0.0, 0.0, 2.0])
    )
    r = jnp.array([[-40.0], [5.0], [-8.0]])
    shifted = r + jnp.array([[-20.0], [0.0], [3.0]])
    still = jnp.zeros((3, 1))
    np.testing.assert_allclose(local_wind(moved, 0.0, shifted, still), local_wind(line, 0.0, r, still))


def test_the_bow_wave_pushes_the_drogue_away_from_the_nose():
    body, stream = HalfBody(), ROPE.stream
    drogue, nozzle = jnp.array([[-47.8], [0.0], [-6.07]]), jnp.array([-48.3, 0.0, -6.1])
    v = body.velocity(0.0, drogue - nozzle[:, None], stream)
    assert v[1, 0] < 0  # the nose is to port
    assert v[2, 0] > 0  # and below


def test_gusts_shake_the_air_and_follow_from_the_seed():
    gusts = dataclasses.replace(Dryden(intensity=1.0), key=jax.random.key(1))
    line, r = dataclasses.replace(ROPE, gusts=gusts), jnp.zeros((3, 2))
    one, two = (local_wind(line, t, r, jnp.zeros((3, 2))) for t in (0.0, 3.0))
    assert np.abs(one - two).max() > 0.1
    np.testing.assert_array_equal(one, local_wind(line, 0.0, r, jnp.zeros((3, 2))))
