"""What a real-time run noted, as a recording: rows in order, the end in numbers, the time around it."""

from types import SimpleNamespace

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.clock import LoopState
from dovetail.links.real_time import ApproachAndReturn, RealTime
from dovetail.links.recording import AROUND, as_run
from dovetail.links.rig_protocol import RigState
from dovetail.links.ring import Ring
from dovetail.links.ring_recorder import RingRecorder
from dovetail.links.tick import Counts, Quantity
from dovetail.testing import Outcome
from dovetail.testing.recorder import Records

ROWS, AFTER = 600, 30
SIGNALS = {"displacement": (), "measured_force": (), "tick_lateness": (), "measurement_age": ()}


@pytest.fixture
def recorded(make_cs1):
    """`recorded(outcome)`: a run of 600 ticks that ended so, and of 30 ticks on the way to rest."""
    test = make_cs1(duration=1.0)

    def make(outcome, store=None):
        noted, approached, after = (Ring(SIGNALS, rows, test.dt) for rows in (ROWS, AFTER, AFTER))
        for k in range(ROWS):
            noted.show(np.array([0.001 * (k + 1), -(k + 1.0), 1e-6 * k, k % 3]))
        for k in range(AFTER):
            after.show(np.array([0.6, -600.0 - k, 0.0, 0.0]))
        first = {"displacement": np.float64(0.0), "measured_force": np.float64(0.0)}
        monitors = RealTime().monitor(test), ApproachAndReturn.monitor(test)
        state = monitors[0].empty_state()
        ended = eqx.tree_at(lambda m: m.code, state, jnp.asarray(outcome.code))
        result = {
            "first": first,
            "test": LoopState(jnp.asarray(ROWS), jnp.zeros(()), (), ended),
            "approach": state,
            "return": state,
        }
        counts = Counts(sent=700, received=690, lost=10, overruns=3, scheduling={"memory lock": "granted"})
        quantity = {Outcome.DEADLINE: Quantity.TICK_LATENESS, Outcome.LINK_LOST: Quantity.MEASUREMENT_AGE}
        tick = SimpleNamespace(
            counts=lambda: counts,
            code=outcome.code,
            exceeded=(quantity.get(outcome, Quantity.NONE), 7.0, 5.0),
            rig_state=RigState.READY,
            rig_flags=0,
        )
        rig = SimpleNamespace(welcome=SimpleNamespace(name="bench"), link_timeout=20)
        with RingRecorder(noted, Records(store=store), print) as recorder:
            pass
        return as_run(test, "udp://localhost:1", result, monitors, recorder, (approached, after), tick, rig)

    return make


def test_rows_follow_the_first_reading_in_order(recorded):
    run = recorded(Outcome.FINISHED)
    np.testing.assert_array_equal(run.data.measured_force, -np.arange(ROWS + 1.0))
    assert run.data.time.values[-1] == pytest.approx(0.6)
    assert run.trip is None
    assert run.return_recording is None


def test_counts_and_scheduling_are_recorded_with_the_data(recorded):
    attributes = recorded(Outcome.FINISHED).data.attrs
    assert (attributes["datagrams_lost"], attributes["ticks_late"]) == (10, 3)
    assert attributes["memory_lock"] == "granted"
    assert attributes["rig"] == "bench at udp://localhost:1"


@pytest.mark.parametrize(
    ("outcome", "signal", "unit"),
    [(Outcome.DEADLINE, "tick_lateness", "s"), (Outcome.LINK_LOST, "measurement_age", "ticks")],
)
def test_the_value_that_ended_the_run_in_its_tick_is_that_of_the_trip(recorded, outcome, signal, unit):
    trip = recorded(outcome).trip
    assert (trip.signal, trip.value, trip.limit, trip.unit) == (signal, 7.0, 5.0, unit)
    assert trip.time == pytest.approx(0.6)


def test_a_run_that_was_stopped_keeps_the_time_around_its_end(recorded):
    around = recorded(Outcome.DEADLINE).return_recording
    assert around.time.values[0] == pytest.approx(0.6 - AROUND)
    assert around.sizes["time"] == 1 + round(AROUND * 1000) + AFTER
    np.testing.assert_array_equal(around["measured_force"].values[-AFTER:], -600.0 - np.arange(AFTER))
    assert around.attrs["ended_at"] == pytest.approx(0.6)
