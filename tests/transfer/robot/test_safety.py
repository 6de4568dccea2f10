"""The supervisory controller: every motion type has its state, every breach leads to the halt."""

import jax.numpy as jnp
import pytest

from dovetail.transfer.robot import (
    TRIP_MESSAGES,
    CellState,
    CellSupervisor,
    MotionType,
    SafetyLimits,
    TripCode,
)


@pytest.mark.parametrize("kind", [k for k in MotionType if k is not MotionType.CHUNK])
def test_a_motion_has_its_state_and_leads_back_to_waiting(kind):
    watch = CellSupervisor()
    assert watch.enter(kind) is TripCode.NONE
    assert watch.state is CellState[kind.name]
    watch.leave()
    assert watch.state is CellState.AWAIT
    assert watch.history == [CellState[kind.name], CellState.AWAIT]


@pytest.mark.parametrize("trip", [t for t in TripCode if t is not TripCode.NONE])
def test_every_trip_halts_until_it_is_reset(trip):
    watch = CellSupervisor()
    watch.enter(MotionType.LINE)
    watch.leave(trip)
    assert watch.state is CellState.HALT
    assert watch.trip is trip
    assert watch.enter(MotionType.LINE) is not TripCode.NONE
    watch.reset()
    assert watch.enter(MotionType.JOINT) is TripCode.NONE


def test_the_first_reason_of_a_stop_is_recorded():
    watch = CellSupervisor()
    watch.halt(TripCode.TORQUE)
    watch.halt(TripCode.EMERGENCY)
    assert watch.trip is TripCode.TORQUE


def test_a_motion_cannot_start_during_another():
    watch = CellSupervisor()
    watch.enter(MotionType.LINE)
    assert watch.enter(MotionType.JOINT) is TripCode.REFUSED
    assert watch.state is CellState.LINE


def test_the_path_buffer_is_bounded():
    watch = CellSupervisor(max_chunks=2)
    for _ in range(2):
        assert watch.enter(MotionType.CHUNK) is TripCode.NONE
        watch.buffer.append(jnp.zeros(6))
    assert watch.enter(MotionType.CHUNK) is TripCode.REFUSED
    assert watch.enter(MotionType.PATH) is TripCode.NONE
    watch.leave()
    assert not watch.buffer


@pytest.mark.parametrize(
    ("wrench", "code"),
    [
        ([3.0, 0.0, 4.0, 0.0, 0.0, 0.0], TripCode.NONE),
        ([3.0, 0.0, 4.1, 0.0, 0.0, 0.0], TripCode.FORCE),
        ([0.0, 0.0, 0.0, 400.0, 0.0, 1e-3], TripCode.TORQUE),
        ([9.0, 0.0, 0.0, 900.0, 0.0, 0.0], TripCode.FORCE),
        ([jnp.nan, 0.0, 0.0, 0.0, 0.0, 0.0], TripCode.NOT_FINITE),
    ],
)
def test_force_and_torque_are_limited_by_magnitude(wrench, code):
    found, _, _ = SafetyLimits(force=5.0, torque=400.0).wrench(jnp.array(wrench))
    assert TripCode(int(found)) is code


def test_every_trip_has_a_message():
    assert set(TRIP_MESSAGES) == set(TripCode)
    assert all(text.endswith(".") for text in TRIP_MESSAGES.values())
