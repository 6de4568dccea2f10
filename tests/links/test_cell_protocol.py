"""Frames of the cell protocol: what is right is read back, what is wrong ends the session."""

import json
import socket

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links import cell_protocol
from dovetail.links.cell_protocol import (
    HEADER,
    MAX_BYTES,
    VERSION,
    FrameStream,
    Message,
    pack_move,
    pack_reply,
    parse_url,
    read_move,
    read_reply,
)
from dovetail.testing.pseudodynamic import MoveReply, MoveRequest
from dovetail.transfer.robot import MotionType, TripCode

KEY = bytes(range(16))


@pytest.fixture
def ends():
    a, b = socket.socketpair()
    a.settimeout(300.0)
    b.settimeout(300.0)
    with a, b:
        yield a, b


def frame(
    kind=Message.READ,
    payload=b"{}",
    *,
    magic=b"DVCL",
    version=VERSION,
    session=5,
    sequence=0,
    size=None,
    pad=0,
):
    size = len(payload) if size is None else size
    return HEADER.pack(magic, version, kind, 0, session, sequence, size, pad) + payload + bytes(16)


@pytest.mark.parametrize("key", [None, KEY])
def test_a_frame_is_read_back(ends, key):
    a, b = FrameStream(ends[0], key, 5), FrameStream(ends[1], key, 5)
    for i in range(3):
        a.send(Message.MOVE, {"x": [0.1 * i, 1 / 3]})
        kind, table, _ = b.receive()
        assert (kind, table) == (Message.MOVE, {"x": [0.1 * i, 1 / 3]})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (frame(magic=b"HTTP"), "not the cell protocol"),
        (frame(version=VERSION + 1), f"version {VERSION + 1}"),
        (frame(session=6), "another session"),
        (frame(sequence=3), "got message 3; expected 0"),
        (frame(kind=77), "unknown type 77"),
        (frame(pad=1), "unknown type"),
        (frame(size=MAX_BYTES + 1), "at most 65536"),
        (frame(size=2**32 - 1), "at most 65536"),
        (frame(payload=b"{"), "not JSON"),
        (frame(payload=b"[1]"), "not a table"),
        (frame(payload=b'{"x": NaN}'), "not JSON"),
        (frame(payload=b"\xff\xfe"), "not JSON"),
        (frame(payload=b"[" * 60000), "not JSON"),
        (frame(payload=b'{"x": ' + b"[" * 8 + b"]" * 8 + b"}"), "more than 8 nested"),
        (frame(payload=b'{"x": [%d]}' % 2**65), "66 bits"),
        (frame()[:-1] + b"\x01", "signature is wrong"),
    ],
)
def test_invalid_messages_are_rejected(ends, data, why):
    ends[0].sendall(data)
    with pytest.raises(LinkError, match=why):
        FrameStream(ends[1], None, 5).receive()


def test_a_truncated_frame_is_noticed_when_the_connection_ends(ends):
    ends[0].sendall(frame()[:-3])
    ends[0].close()
    with pytest.raises(LinkError, match="was closed"):
        FrameStream(ends[1], None, 5).receive()


class Trickle:
    """A peer that sends a byte a second; the clock goes with it."""

    def __init__(self, data, limit):
        self.data, self.limit, self.now, self.timeout = data, limit, 100.0, limit

    def monotonic(self):
        return self.now

    def gettimeout(self):
        return self.limit

    def settimeout(self, seconds):
        self.timeout = seconds

    def recv(self, size):
        self.now += min(self.timeout, 1.0)
        if self.timeout < 1.0:
            raise TimeoutError
        byte, self.data = self.data[:1], self.data[1:]
        return byte


def test_the_time_limit_is_for_the_whole_frame(monkeypatch):
    data = frame()
    slow, patient = Trickle(data, 10.5), Trickle(data, len(data) + 0.5)
    monkeypatch.setattr(cell_protocol, "time", slow)
    with pytest.raises(TimeoutError):
        FrameStream(slow, None, 5).receive()
    assert len(data) - len(slow.data) == 10
    monkeypatch.setattr(cell_protocol, "time", patient)
    assert FrameStream(patient, None, 5).receive()[0] == Message.READ


def test_a_replayed_frame_is_rejected(ends):
    a, b = FrameStream(ends[0], KEY, 5), FrameStream(ends[1], KEY, 5)
    sent = a.send(Message.READ)
    b.receive()
    ends[0].sendall(sent)
    with pytest.raises(LinkError, match="got message 0; expected 1"):
        b.receive()


def test_keys_must_be_equal(ends):
    FrameStream(ends[0], KEY, 5).send(Message.READ)
    with pytest.raises(LinkError, match="keys differ"):
        FrameStream(ends[1], KEY[::-1], 5).receive()
    FrameStream(ends[0], KEY, 5).send(Message.READ)
    with pytest.raises(LinkError, match="the other side uses a key"):
        FrameStream(ends[1], None, 5).receive()


def test_an_old_welcome_does_not_pass_for_a_new_one(ends):
    a, b = FrameStream(ends[0], KEY), FrameStream(ends[1], KEY)
    a.session = 9
    a.send(Message.WELCOME, {}, before=b"the hello of then")
    with pytest.raises(LinkError, match="signature"):
        b.receive(before=b"the hello of now")


def test_a_move_is_read_back():
    move = MoveRequest(3, np.arange(6.0), 2.0, 1.0, MotionType.JOINT_TO_POSE)
    back = read_move(json.loads(json.dumps(pack_move(move))), 6)
    assert (back.number, back.kind, back.execution_time, back.settling_time) == (3, move.kind, 2.0, 1.0)
    assert np.array_equal(back.target, move.target)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"number": 0}, "number"),
        ({"number": True}, "number"),
        ({"number": "1"}, "number"),
        ({"target": [1.0] * 5}, "target"),
        ({"target": [1.0] * 5 + ["x"]}, "target"),
        ({"target": [1.0] * 5 + [None]}, "target"),
        ({"target": [1.0] * 5 + [1e999]}, "not finite"),
        ({"target": None}, "target"),
        ({"execution_time": -1.0}, "execution_time"),
        ({"execution_time": 1e6}, "execution_time"),
        ({"settling_time": None}, "settling_time"),
        ({"kind": "JUMP"}, "JUMP"),
        ({"kind": 1}, "kind"),
    ],
)
def test_a_wrong_move_is_rejected(change, why):
    with pytest.raises(LinkError, match=why):
        read_move({**pack_move(MoveRequest(1, np.zeros(6), 1.0, 1.0)), **change}, 6)


def test_a_reply_is_read_back_with_its_extras():
    reply = MoveReply(
        4,
        np.arange(6.0),
        -np.arange(6.0),
        7.5,
        TripCode.TORQUE,
        401.0,
        400.0,
        {"penetration": np.array([[1.0, 2.0]])},
    )
    back = read_reply(json.loads(json.dumps(pack_reply(reply))), 6)
    assert (back.trip, back.value, back.limit, back.clock) == (TripCode.TORQUE, 401.0, 400.0, 7.5)
    assert back.extras["penetration"].tolist() == [[1.0, 2.0]]
    assert read_reply(pack_reply(None), 6) is None


def test_numbers_that_are_not_finite_come_only_with_a_trip():
    broken = MoveReply(4, np.full(6, np.nan), np.zeros(6), 0.0, TripCode.NOT_FINITE)
    assert np.isnan(read_reply(pack_reply(broken), 6).position).all()
    with pytest.raises(LinkError, match="position"):
        read_reply({**pack_reply(broken), "trip": "NONE"}, 6)


@pytest.mark.parametrize(
    "change",
    [
        {"trip": "TIRED"},
        {"extras": [1]},
        {"shapes": {}},
        {"extras": {"a": [1.0]}, "shapes": {"a": [2]}},
        {"extras": {"a": [1.0]}, "shapes": {"a": [-1]}},
        {"force": [0.0] * 7},
        {"clock": -1.0},
    ],
)
def test_a_wrong_reply_is_rejected(change):
    extras = {"a": np.array([1.0])}
    with pytest.raises(LinkError):
        read_reply({**pack_reply(MoveReply(1, np.zeros(6), np.zeros(6), 0.0, extras=extras)), **change}, 6)


def test_the_address_of_a_cell():
    assert parse_url("tcp://localhost:7402").port == 7402
    assert parse_url("tcp://localhost").port == 7002
    assert parse_url("tcp://[::1]:80").host == "::1"
    for url in ("udp://localhost", "tcp://", "tcp://a:0", "localhost:3"):
        with pytest.raises(LinkError, match="tcp://HOST:PORT"):
            parse_url(url)
