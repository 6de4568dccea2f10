"""A latched hose: its end goes with the nozzle, waves take the time of the trim's tension, and it never pushes."""

import dataclasses
from types import SimpleNamespace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from dovetail.air.latched_hose import LatchedHose
from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import AngleChain, ElasticChain, FixedReel, LinkChain
from dovetail.mechanics.chain.waves import follow_waves, wave_speeds
from dovetail.mechanics.motion import BrakingPoint, OffsetPoint
from dovetail.studies.refuelling.assembly import BENDING, DRAG, LENGTH, SPECIFIC_MASS

STEP, STEPS = 1e-3, 2600
T = STEP * np.arange(1, STEPS + 1)
SHOWN = ("displacement", "hose_position", "end_tension", "tow_tension", "tension")
COMMON = {"length": LENGTH, "mass": SPECIFIC_MASS * LENGTH, "bending": BENDING, "distribution": "end"}
COMMON |= {"reeling_order": "sequential", "mass_transfer": "none"}


def hose(n=19):
    return ElasticChain(n=n, stiffness=3.86e4, axial_damping=193.0, **COMMON)


FLOW = LatchedHose(chain=hose(), drag=DRAG, reel=FixedReel())


@eqx.filter_jit
def _run(flow):
    method = with_stage_loop(RK4())

    def one(x, k):
        x, _ = method.step(flow, k * STEP, STEP, x, None, ())
        shown = flow.output((k + 1) * STEP, x, None)
        return x, {name: shown[name] for name in SHOWN}

    start = flow.init()
    return flow.output(0.0, start, None), jax.lax.scan(one, start, jnp.arange(STEPS))[1]


def run(flow):
    first, found = _run(flow)
    return SimpleNamespace(first=first, **{name: np.asarray(value) for name, value in found.items()})


@pytest.fixture(scope="module")
def shifted():
    """The nozzle moves aside by 0.1 m and stays."""
    return run(dataclasses.replace(FLOW, nozzle=OffsetPoint()))


@pytest.fixture(scope="module")
def braked():
    """The nozzle comes on at 1.5 m/s and stops in half a metre; nothing is reeled in."""
    return run(FLOW)


def test_the_latched_end_follows_the_nozzle(braked):
    np.testing.assert_allclose(braked.first["velocity"], [1.5, 0.0, 0.0], atol=1e-12)
    rate = 1.5**2 / (2 * 0.5)
    late = np.minimum(T, 1.5 / rate)
    way = 1.5 * late - rate * late**2 / 2
    np.testing.assert_allclose(braked.displacement[:, 0] - braked.first["displacement"][0], way, atol=1e-12)
    joint = braked.hose_position[:, :, -2]
    np.testing.assert_allclose(joint, braked.displacement, atol=1e-12)


def test_the_latched_hose_starts_in_steady_flight_under_the_drogue_force():
    still = dataclasses.replace(FLOW, nozzle=BrakingPoint(speed=0.0))
    first = eqx.filter_jit(lambda flow: flow.output(0.0, flow.init(), None))(still)
    rest = still.steady()
    np.testing.assert_allclose(first["tension"], rest.tension, rtol=1e-6)
    pull = still.pull
    # of the last link: the drogue's pull, its own mass and half its drag, some twenty newtons
    assert float(rest.tension[-1]) == pytest.approx(float(jnp.linalg.norm(pull)), abs=40.0)


@pytest.mark.slow
def test_a_latched_hose_at_a_fixed_nozzle_stays_at_rest():
    """But for the drogue, which is the probe's burden from then on: no more than two per cent of the tension."""
    found = run(dataclasses.replace(FLOW, nozzle=OffsetPoint(shift=(0.0, 0.0, 0.0))))
    np.testing.assert_allclose(found.end_tension, found.first["end_tension"], rtol=0.02)


@pytest.mark.slow
def test_the_wave_speed_follows_the_trim_tension(shifted):
    """Up the lower half of the hose node by node; at the tow point after 1.02 s, back after twice that, dispersed."""
    rest = FLOW.steady()
    found = follow_waves(T, shifted.hose_position)
    lead = 0.05  # the shift takes 0.1 s: its middle is fastest
    # a stretched link is longer and lighter by its length: the time across it grows with the root of the stretch
    stretch = 1 + np.asarray(rest.tension) / 3.86e4
    taken = 27 / 19 * np.sqrt(stretch) / np.asarray(wave_speeds(rest.tension, SPECIFIC_MASS))
    travel = np.cumsum(taken[::-1])[::-1]
    # from node to node, but for the two next to the nozzle, which see the shift itself
    np.testing.assert_allclose(np.diff(found.arrival[9:16]), np.diff(travel[10:17]), rtol=0.1)
    assert found.arrival[-1] > lead
    one_way = float(taken.sum())
    assert one_way < found.at_support < 1.25 * one_way
    assert 2 * one_way < found.back < 1.15 * 2 * one_way


def test_an_approaching_receiver_lowers_the_tension_and_no_link_is_in_compression(braked):
    """Half a metre of 27 less: EA/L = 1430 N/m takes 715 N from 2480 N in the end, and more on the way."""
    assert braked.tension.min() >= 0
    settled = braked.end_tension[T > 1.6].mean()  # it still swings by some per cent
    assert settled == pytest.approx(2479 - 0.5 * 3.86e4 / 27, rel=0.05)
    assert braked.end_tension.min() < 1600


@pytest.mark.slow
def test_tensions_do_not_hang_on_the_number_of_links(braked):
    finer = run(dataclasses.replace(FLOW, chain=hose(30)))
    np.testing.assert_allclose(finer.end_tension[99::100], braked.end_tension[99::100], rtol=0.02)


def test_a_slack_link_neither_pulls_nor_pushes():
    @jax.jit
    def pushed():
        x = FLOW.init()
        x = {**x, "end": x["end"] + jnp.array([0.5, 0.0, 0.0])}
        return FLOW.output(0.0, x, None)["tension"]

    tension = pushed()
    assert float(tension[-1]) == 0.0
    assert float(tension[0]) > 1000.0


def test_measures_name_waves_whip_and_tensions(shifted):
    data = xr.Dataset(
        {
            "hose_position": (("time", "axis", "node"), shifted.hose_position),
            "tension": (("time", "link"), shifted.tension),
            "tow_tension": ("time", shifted.tow_tension),
            "end_tension": ("time", shifted.end_tension),
        },
        {"time": T},
    )
    found = FLOW.measures(data)
    assert found["drogue end again"].endswith("s after the latch")
    assert found["a link is slack"] == "for 0.00 s in total"


@pytest.mark.parametrize("kind", [AngleChain, LinkChain])
def test_inextensible_chains_are_rejected(kind):
    with pytest.raises(ParameterError, match="cannot stretch and go slack.*elastic-chain"):
        LatchedHose(chain=kind(n=5, **COMMON), drag=DRAG)
