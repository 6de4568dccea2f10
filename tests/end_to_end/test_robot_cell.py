"""The refuelling cell as a whole: every motion, every limit, its accuracy at rest, and deafness to its delay."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail import testing
from dovetail.studies.registry import find_test
from dovetail.testing import MoveRequest
from dovetail.transfer.robot import CellState, MotionType, TripCode

pytestmark = pytest.mark.slow

FREE = np.array([-0.80, 0.02, -0.05, 0.0, 0.01, 0.0])  # aft of the rim: nothing is touched


@pytest.fixture(scope="module")
def cell():
    return testing.load(find_test("refuelling/cell")).cell()


@pytest.fixture
def fresh(cell):
    """The cell at the start of a run of its own."""
    cell.begin(f"run-{np.random.default_rng().integers(1 << 40)}")
    return cell


def error(reply, target):
    return np.linalg.norm(reply.position[:3] - target[:3]), np.linalg.norm(reply.position[3:] - target[3:])


def test_the_robot_rests_within_its_repeatability_of_the_target(fresh):
    """[Bolien 2018, sec. 4.1]: within 50 um and 0.015 degrees."""
    for number in range(1, 11):
        target = FREE + 1e-3 * number * np.array([1, 0, 0, 0, 1, 0])
        reply = fresh.move(MoveRequest(number, target, 1.0 if number == 1 else 0.2, 0.2))
        assert reply.ok
        way, turn = error(reply, target)
        assert way < 5e-5
        assert turn < np.deg2rad(0.015)


def test_the_weight_of_the_drogue_does_not_show(fresh):
    reply = fresh.move(MoveRequest(1, FREE, 1.0, 0.2))
    # ten readings of 0.5 N are averaged: 0.16 N, and as much from the tare; the drogue weighs 176 N
    assert np.linalg.norm(reply.force[:3]) < 1.5


@pytest.mark.parametrize("kind", [MotionType.LINE, MotionType.JOINT_TO_POSE])
def test_a_pose_is_reached_straight_or_through_joint_space(fresh, kind):
    reply = fresh.move(MoveRequest(1, FREE, 1.0, 0.2, kind))
    assert reply.ok, reply.trip
    assert error(reply, FREE)[0] < 1e-4
    assert fresh.supervisor.history[-2:] == [CellState[kind.name], CellState.AWAIT]


def test_joint_angles_are_reached(fresh):
    now = np.asarray(fresh.state["actuator"]["references"])
    target = now[:7] + np.array([0, 0.02, -0.03, 0.02, 0.01, -0.02, 0.05])
    reply = fresh.move(MoveRequest(1, target, 1.0, 0.2, MotionType.JOINT))
    assert reply.ok, reply.trip
    assert np.asarray(fresh.state["actuator"]["references"])[:7] == pytest.approx(target, abs=1e-6)


def test_a_buffered_path_is_run_as_one_motion(fresh):
    corners = [FREE, FREE + np.array([0, 0.05, 0, 0, 0, 0])]
    last = FREE + np.array([0, 0.05, 0.05, 0, 0, 0])
    for number, corner in enumerate(corners, 1):
        before = fresh.clock
        assert fresh.move(MoveRequest(number, corner, 0.0, 0.0, MotionType.CHUNK)).ok
        assert fresh.clock == before  # it is kept, nothing moves
    reply = fresh.move(MoveRequest(3, last, 2.0, 0.2, MotionType.PATH))
    assert reply.ok, reply.trip
    assert error(reply, last)[0] < 1e-4
    assert CellState.PATH in fresh.supervisor.history


@pytest.mark.parametrize(
    ("target", "seconds", "code"),
    [
        (FREE + np.array([-1.0, 0, 0, 0, 0, 0]), 0.05, TripCode.JOINT_VELOCITY),
        ([-0.8, 0.0, 0.95, 0.0, 0.0, 0.0], 4.0, TripCode.WORKSPACE),  # too near to the floor
        ([-0.8, 0.0, -1.35, 0.0, 0.0, 0.0], 4.0, TripCode.SINGULARITY),  # up there the wrist is straight
        ([-0.8, 0.0, -0.1, 0.0, 0.0, np.nan], 1.0, TripCode.NOT_FINITE),
        ([-0.15, 0.0, -0.10, 0.0, 0.0, 0.0], 4.0, TripCode.TORQUE),
    ],
    ids=lambda v: v.name if isinstance(v, TripCode) else "",
)
def test_a_limit_stops_it_with_its_name(fresh, target, seconds, code):
    first = fresh.move(MoveRequest(1, FREE, 1.0, 0.2))
    assert first.ok
    reply = fresh.move(MoveRequest(2, np.array(target, dtype=float), seconds, 0.2))
    assert reply.trip is code
    if code is not TripCode.NOT_FINITE:  # which never gets as far as a motion
        assert fresh.supervisor.state is CellState.HALT
        assert fresh.move(MoveRequest(2, FREE, 1.0, 0.2)).trip is TripCode.REFUSED


def test_an_emergency_stop_during_a_move_stops_the_robot_there(fresh):
    fresh.pace = 1.0  # on the wall clock, in slices
    try:
        import threading

        threading.Timer(0.5, fresh.halt).start()
        reply = fresh.move(MoveRequest(1, FREE, 4.0, 0.2))
    finally:
        fresh.pace = 0.0
    assert reply.trip is TripCode.EMERGENCY
    done = np.linalg.norm(np.asarray(fresh.where)[:3] - np.asarray(fresh.home_pose)[:3])
    assert 0.0 < done < 0.5 * np.linalg.norm(FREE[:3] - np.asarray(fresh.home_pose)[:3])


@pytest.fixture(scope="module")
def strikes():
    """The 200 mm strike along the ribs, with robots that answer at once and half a second late."""
    test = dataclasses.replace(testing.load(find_test("refuelling/full-scale-200")), duration=0.2)
    settings = dataclasses.replace(test.pseudodynamic, contact_step=2e-3, settling_time=0.7)

    def strike(delay):
        late = dv.transfer.Delay(delay, max_delay=0.5)
        rig = dataclasses.replace(test.rig, actuator=late)
        return dataclasses.replace(test, rig=rig, pseudodynamic=settings).run_pseudodynamic()

    return {delay: strike(delay) for delay in (0.0, 0.1, 0.5)}


@pytest.mark.parametrize("delay", [0.1, 0.5])
def test_the_strike_does_not_depend_on_the_robot_delay(strikes, delay):
    """[Bolien 2018, sec. 5-II]: stable for any robot delay."""
    at_once, late = strikes[0.0].data, strikes[delay].data
    assert float(np.abs(at_once.force).max()) > 50.0  # there is a contact to be wrong about
    # the specimen's memory is integrated along the same path, shifted in time: equal to the integrator's tolerance
    assert np.max(np.abs(late.displacement.values - at_once.displacement.values)) < 1e-9
    assert np.allclose(late.force, at_once.force, rtol=1e-7, atol=1e-5)
