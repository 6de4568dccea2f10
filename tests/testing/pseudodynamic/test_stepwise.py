"""The compiled steps: they stop where a force is needed, at the end, and where the room for rows ends."""

import dataclasses

import numpy as np
import pytest

from dovetail.testing import Limits, Outcome
from dovetail.testing.pseudodynamic import PlaneGate
from dovetail.testing.pseudodynamic.stepwise import compiled_advance, compiled_gate, start


@pytest.fixture(scope="module")
def test(make_creep):
    return make_creep(gate=PlaneGate(level=2e-4, side="above"), free_step=0.25e-3)


def advanced(test, state, size, force=0.0, fresh=False):
    """So many rows on, with a reading that is new or was there already."""
    reading = {"measured_displacement": np.zeros(()), "measured_force": np.asarray(force)}
    return compiled_advance(test, state, reading, np.asarray(fresh), np.zeros(()), size)


def test_it_starts_with_the_motion_at_rest(test):
    state = start(test)
    assert float(state["t"]) == 0.0
    assert float(state["motion"]["displacement"]) == 0.0
    assert not bool(compiled_gate(test, state["motion"]))


def test_it_stops_where_contact_is_near(test):
    state, asks, count, rows = advanced(test, start(test), 512)
    z = np.asarray(rows["displacement"])[: int(count)]
    assert bool(asks)
    assert z[-1] >= 2e-4 > z[-2]
    assert float(state["t"]) == pytest.approx(0.25e-3 * int(count))


def test_it_stops_when_there_is_no_room_for_more_rows(test):
    state, asks, count, _ = advanced(test, start(test), 7)
    assert (int(count), bool(asks)) == (7, False)
    assert float(state["t"]) == pytest.approx(7 * 0.25e-3)


def test_a_force_acts_only_where_contact_is_near(test):
    free = start(test)
    with_force, *_ = advanced(test, free, 7, force=50.0)
    without, *_ = advanced(test, free, 7)
    assert float(with_force["motion"]["displacement"]) == float(without["motion"]["displacement"])


def test_a_new_reading_beyond_its_limit_lets_nothing_advance(make_creep):
    test = dataclasses.replace(make_creep(), limits=Limits(force=10.0))
    rest = start(test)
    state, _, count, _ = advanced(test, rest, 7, force=50.0, fresh=True)
    assert Outcome.from_code(state["monitor"]["code"]) is Outcome.FORCE
    assert (int(count), float(state["t"])) == (0, 0.0)
    state, _, count, _ = advanced(test, rest, 7, force=5.0, fresh=True)
    assert Outcome.from_code(state["monitor"]["code"]) is Outcome.FINISHED
    assert int(count) > 0


def test_it_ends_with_the_test(make_creep):
    test = make_creep(gate=PlaneGate(level=1.0, side="above"), free_step=0.7e-3)
    state, asks, count, rows = advanced(test, start(test), 512)
    assert float(state["t"]) == pytest.approx(test.duration, abs=1e-15)
    assert int(count) == 43  # 0.03 s in steps of 0.7 ms, the last one shorter
    assert not bool(asks)
