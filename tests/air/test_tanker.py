import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.bow_wave import HalfBody
from dovetail.air.drogue_hose import steady_flight
from dovetail.air.tanker import TankerAir
from dovetail.air.turbulence import Dryden
from dovetail.air.wake import VortexPair
from dovetail.studies.refuelling.assembly import drogue_hose, hose


def report(air):
    return steady_flight(drogue_hose(chain=hose(5), air=air))


@pytest.fixture(scope="module")
def calm():
    return report(TankerAir(density=0.525))


def test_without_disturbance_it_blows_aft_everywhere():
    r = jnp.arange(12.0).reshape(3, 4)
    air = TankerAir(airspeed=180.0, density=0.5)
    np.testing.assert_array_equal(
        air.velocity(0.0, r, jnp.zeros(3)), np.array([[-180.0], [0.0], [0.0]]) * np.ones(4)
    )
    assert air.stream()[1] == 0.5


@pytest.mark.slow
def test_undisturbed_it_is_the_stream_at_altitude(calm):
    air = TankerAir()
    assert air.stream()[1] == pytest.approx(0.525, rel=1e-3)
    trimmed = report(air)
    np.testing.assert_allclose(
        trimmed["ball_joint"], calm["ball_joint"], atol=0.01
    )  # density to a third per mille


@pytest.mark.slow
def test_the_downwash_of_the_tanker_lowers_the_drogue(calm):
    wake = VortexPair(aircraft_mass=120e3, span=50.0, depth=200.0)
    lowered = report(TankerAir(wake=wake))
    assert lowered["ball_joint"][2] > calm["ball_joint"][2] + 0.1
    assert lowered["residual"] < 1e-6


def test_the_bow_wave_pushes_the_drogue_away_from_the_nose():
    air = TankerAir(bow_wave=HalfBody())
    nozzle = jnp.array([-48.3, 0.0, 6.1])
    drogue = jnp.array([[-47.8], [0.0], [6.07]])
    v = air.velocity(0.0, drogue, nozzle) - air.velocity(0.0, drogue, nozzle - jnp.array([1e5, 0.0, 0.0]))
    assert v[1, 0] > 0  # the nose is to port
    assert v[2, 0] < 0  # and below


def test_gusts_shake_the_air_and_follow_from_the_seed():
    gusts = dataclasses.replace(Dryden(intensity=1.0), key=jax.random.key(1))
    air = TankerAir(gusts=gusts)
    r = jnp.zeros((3, 2))
    velocity = jax.jit(lambda t: air.velocity(t, r, jnp.zeros(3)))
    one, two = velocity(0.0), velocity(3.0)
    assert np.abs(one - two).max() > 0.1
    np.testing.assert_array_equal(one, velocity(0.0))
