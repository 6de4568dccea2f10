"""The virtual arm, cycle by cycle, guided by the independent client `abb-robot-client`."""

import dataclasses
import importlib.util

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links.egm import ControllerAxes, VirtualController, decode, encode
from dovetail.links.egm.controller import PERIOD, _rotate, _rotation_vector, _target, wire_pose
from dovetail.links.egm.messages import MCI_STOPPED
from dovetail.mechanics.spatial import quaternion
from dovetail.transfer.robot import Arm

needs_client = pytest.mark.skipif(
    importlib.util.find_spec("abb_robot_client") is None, reason="abb-robot-client is not installed"
)


@pytest.fixture
def pair():
    """The independent client and a virtual arm that talks to it; the test cycles the arm."""
    from abb_robot_client.egm import EGM

    client = EGM(port=0)
    arm = VirtualController(
        ("127.0.0.1", client.socket.getsockname()[1]),
        ControllerAxes(joints=np.radians([0, 10, 20, 0, 30, 0.0])),
    )
    yield client, arm
    client.close()
    arm.close()


def heard(client):
    good, state = client.receive_from_robot(timeout=300.0)
    assert good
    return state


@needs_client
def test_the_client_reads_the_pose_of_the_arm(pair):
    client, arm = pair
    arm.force = lambda axes: np.arange(6.0)
    arm.cycle()
    state = heard(client)
    np.testing.assert_allclose(state.joint_angles, [0, 10, 20, 0, 30, 0], atol=1e-12)
    np.testing.assert_allclose(state.cartesian[0], [1000.0, 0.0, 1200.0])  # mm
    np.testing.assert_allclose(state.cartesian[1], [0.0, 0.0, 1.0, 0.0])
    assert state.motors_on
    assert state.rapid_running
    np.testing.assert_allclose(state.measured_force, np.arange(6.0))
    assert state.robot_message.header.seqno == 1


@needs_client
def test_the_client_leads_the_joints(pair):
    client, arm = pair
    goal = np.array([5.0, 12.0, 18.0, -3.0, 30.0, 1.0])  # degrees
    for _ in range(150):
        arm.cycle()
        state = heard(client)
        assert client.send_to_robot(goal)
    np.testing.assert_allclose(state.joint_angles, goal, atol=1e-6)


@needs_client
def test_the_commanded_pose_respects_the_speed_limit_of_the_arm(pair):
    client, arm = pair
    goal = np.array([1050.0, 20.0, 1190.0])
    turned = np.array([np.sin(0.1), 0.0, np.cos(0.1), 0.0])
    seen = []
    for _ in range(300):
        arm.cycle()
        state = heard(client)
        seen.append(state.cartesian[0] / 1e3)
        assert client.send_to_robot_cart(goal, turned)
    np.testing.assert_allclose(state.cartesian[0], goal, atol=1e-6)
    np.testing.assert_allclose(state.cartesian[1], turned, atol=1e-9)
    speeds = np.linalg.norm(np.diff(seen, axis=0), axis=1) / PERIOD
    assert speeds.max() == pytest.approx(arm.speed, rel=1e-6)  # 54 mm away, it runs at its limit first


@needs_client
def test_a_client_that_falls_silent_stops_the_arm(pair):
    client, arm = pair
    arm.tau, arm.timeout = 1.0, 0.1
    for _ in range(20):
        arm.cycle()
        heard(client)
        client.send_to_robot(np.full(6, 50.0))
    for _ in range(26):
        arm.cycle()
    before = arm.axes.joints
    arm.cycle()
    np.testing.assert_array_equal(arm.axes.joints, before)
    assert not arm.is_guided
    for _ in range(27):
        state = heard(client)
    assert state.robot_message.mciState.state == 2  # stopped


def test_old_wrong_and_wild_messages_are_dropped():
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as near:
        near.bind(("127.0.0.1", 0))
        arm = VirtualController(near.getsockname())
        near.settimeout(5)
        arm.cycle()
        _, to = near.recvfrom(65536)
        before = arm.axes.joints
        good = {"header": {"seqno": 5, "mtype": 3}, "planned": {"joints": {"joints": [9.0] * 6}}}
        wild = {**good, "planned": {"joints": {"joints": [np.nan] * 6}}}
        nowhere = {**good, "planned": {}}
        for data in (b"\xff" * 40, encode("EgmSensor", wild), encode("EgmSensor", nowhere)):
            near.sendto(data, to)
        arm.cycle()
        assert arm.rejected == 3
        np.testing.assert_array_equal(arm.axes.joints, before)
        near.sendto(encode("EgmSensor", good), to)
        arm.cycle()
        assert np.all(arm.axes.joints > 0)
        near.sendto(encode("EgmSensor", good), to)  # again: it was taken already
        arm.cycle()
        assert arm.rejected == 4
        assert decode("EgmRobot", near.recvfrom(65536)[0])["mciState"]["state"] in (2, 3)
        arm.close()


@pytest.mark.parametrize(("part", "name"), [("pos", "z"), ("orient", "u2")])
def test_a_pose_with_a_missing_value_is_dropped(part, name):
    pose = wire_pose([1.0, 0.0, 1.0], [0.6, 0.0, 0.8, 0.0])
    assert _target({"planned": {"cartesian": pose}}) is not None
    del pose[part][name]
    assert _target({"planned": {"cartesian": pose}}) is None


@pytest.mark.parametrize(("length", "accepted"), [(0.4, False), (0.6, True), (1.9, True), (2.1, False)])
def test_a_pose_whose_quaternion_is_far_from_unit_length_is_dropped(length, accepted):
    message = {"planned": {"cartesian": wire_pose([1.0, 0.0, 1.0], [0.6 * length, 0.0, 0.8 * length, 0.0])}}
    goal = _target(message)
    assert (goal is not None) == accepted
    if accepted:
        np.testing.assert_allclose(goal["orientation"], [0.6, 0.0, 0.8, 0.0], atol=1e-15)


def test_a_turn_leads_from_one_orientation_to_the_other():
    die = np.random.default_rng(1)
    for _ in range(50):
        q0, q1 = (v / np.linalg.norm(v) for v in die.normal(size=(2, 4)))
        reached = _rotate(q0, _rotation_vector(q0, q1))
        assert abs(reached @ q1) == pytest.approx(1.0, abs=1e-12)
        assert np.linalg.norm(_rotation_vector(q0, q1)) <= np.pi + 1e-12  # the shorter way


ARM = Arm(
    min_angle=np.radians([-165, -110, -110, -160, -120, -400.0]),
    max_angle=np.radians([165, 110, 70, 160, 120, 400.0]),
)
STANCE = np.radians([5.0, 20.0, 40.0, 10.0, 50.0, -15.0])


@pytest.fixture(scope="module")
def arm_of_a_cell():
    return ControllerAxes.from_arm(ARM, STANCE)


def led(axes, message, cycles=600):
    """An arm after some cycles under one and the same wish, repeated with new numbers."""
    controller = VirtualController(("127.0.0.1", 9), dataclasses.replace(axes))
    for number in range(1, cycles + 1):
        controller.target, controller.last_message_time = _target(message), controller.time
        controller.is_guided |= number == 1
        controller.cycle()
    controller.close()
    return controller


def test_an_arm_with_joint_guidance_reports_its_flange_pose(arm_of_a_cell):
    goal = STANCE + np.radians([3.0, -2.0, 4.0, 1.0, -5.0, 2.0])
    arm = led(arm_of_a_cell, {"planned": {"joints": {"joints": np.degrees(goal).tolist()}}})
    flange = ARM.forward(goal)
    np.testing.assert_allclose(arm.axes.joints, goal, atol=1e-9)
    np.testing.assert_allclose(arm.axes.position, flange.p, atol=1e-9)
    np.testing.assert_allclose(quaternion.to_matrix(arm.axes.orientation), flange.R, atol=1e-9)


def test_an_arm_with_pose_guidance_reports_matching_joints(arm_of_a_cell):
    goal = arm_of_a_cell.position + np.array([0.03, 0.02, -0.04])
    arm = led(arm_of_a_cell, {"planned": {"cartesian": wire_pose(goal, arm_of_a_cell.orientation)}})
    np.testing.assert_allclose(arm.axes.position, goal, atol=1e-9)
    np.testing.assert_allclose(ARM.forward(arm.axes.joints).p, goal, atol=1e-9)
    assert np.abs(arm.axes.joints - STANCE).max() < np.radians(30.0)  # not by another posture


@pytest.mark.parametrize(
    "planned",
    [
        {"cartesian": wire_pose([2.0, 0.0, 0.3], [1.0, 0.0, 0.0, 0.0])},
        {"joints": {"joints": [0.0, 0.0, 90.0, 0.0, 0.0, 0.0]}},
    ],
)
def test_an_arm_at_a_joint_limit_stops_and_reports_it(arm_of_a_cell, planned):
    arm = led(arm_of_a_cell, {"planned": planned}, cycles=1500)
    assert not arm.is_guided
    assert ARM.within_limits(arm.axes.joints)
    assert arm._state_message()["mciState"]["state"] == MCI_STOPPED


def test_an_unreachable_initial_pose_is_rejected():
    with pytest.raises(LinkError, match="outside the limits of the arm"):
        ControllerAxes.from_arm(ARM, np.radians([0, 0, 90.0, 0, 0, 0]))


@pytest.mark.parametrize(
    ("values", "speed"), [([100.0, 0, 0, 0, 0, 90.0], [0.1, 0, 0, 0, 0, np.pi / 2]), ([1.0], None)]
)
def test_a_pose_has_its_speed_in_si_units_if_all_six_values_are_there(values, speed):
    planned = {"cartesian": wire_pose([1.0, 0.0, 1.0], [0.6, 0.0, 0.8, 0.0])}
    goal = _target({"planned": planned, "speedRef": {"cartesians": {"value": values}}})
    if speed is None:
        assert goal["speed"] is None
    else:
        np.testing.assert_allclose(goal["speed"], speed, atol=1e-15)
