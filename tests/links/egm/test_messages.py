"""Our codec against protobuf's own, by the messages of the independent client; and against noise."""

import contextlib
import importlib.util
import random

import pytest

from dovetail.core.errors import LinkError
from dovetail.links.egm import decode, encode

needs_client = pytest.mark.skipif(
    importlib.util.find_spec("abb_robot_client") is None, reason="abb-robot-client is not installed"
)
ROBOT = {
    "header": {"seqno": 300, "tm": 4_000_000_000, "mtype": 2},
    "feedBack": {
        "joints": {"joints": [1.0, -2.5, 3.0, 4.0, 5.0, 6.0]},
        "cartesian": {
            "pos": {"x": 1.5, "y": -2.0, "z": 3.0},
            "orient": {"u0": 1.0, "u1": 0.0, "u2": 0.0, "u3": 0.0},
        },
        "time": {"sec": 7, "usec": 999_999},
    },
    "motorState": {"state": 1},
    "mciConvergenceMet": True,
    "measuredForce": {"fcActive": True, "force": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]},
    "utilizationRate": 12.5,
}


def test_what_is_encoded_is_decoded():
    assert decode("EgmRobot", encode("EgmRobot", ROBOT)) == ROBOT


def test_a_negative_integer_is_encoded_in_64_bits_as_by_protobuf():
    data = encode("Header", {"seqno": -1})
    assert len(data) == 1 + 10
    assert decode("Header", data)["seqno"] == 2**64 - 1


@needs_client
def test_messages_are_exchangeable_with_protobuf():
    from abb_robot_client._egm_protobuf import egm_pb2

    message = egm_pb2.EgmRobot()
    message.ParseFromString(encode("EgmRobot", ROBOT))
    assert message.header.tm == 4_000_000_000
    assert list(message.feedBack.joints.joints) == ROBOT["feedBack"]["joints"]["joints"]
    assert list(message.measuredForce.force) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    message.testSignals.signals.extend([1.0, 2.0])  # a field that our tables do not have
    message.moveIndex = 9
    assert decode("EgmRobot", message.SerializeToString()) == ROBOT


def test_noise_is_reported_and_harmless():
    die, good = random.Random(1), encode("EgmRobot", ROBOT)
    for _ in range(3000):
        data = bytearray(
            die.randbytes(die.randrange(120)) if die.random() < 0.3 else good[: die.randrange(len(good) + 1)]
        )
        if data:
            data[die.randrange(len(data))] ^= 1 << die.randrange(8)
        with contextlib.suppress(LinkError):  # the one error there is
            decode("EgmRobot", bytes(data))


def test_a_truncated_message_is_reported():
    with pytest.raises(LinkError, match="got 20 bytes"):
        decode("EgmRobot", encode("EgmRobot", ROBOT)[:20])
