"""Readers of datagrams and streams: each gets what its peer would send, damaged in its fields or in its bytes."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import socket
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links import cell_protocol, handshake, opensees, rig_protocol
from dovetail.links.address import Address
from dovetail.links.cell_server import CellServer
from dovetail.links.egm import controller, driver
from dovetail.links.egm.messages import encode
from dovetail.links.opensees_adapter import AdapterPlant
from dovetail.links.remote_cell import RemoteCell
from dovetail.links.serve import RigServer
from dovetail.links.session import Session
from dovetail.testing.pseudodynamic import Cell, MoveReply

from .harness import Reader
from .mutation import NUMBERS, damaged, torn

AXES, SESSION = 2, 0xABCDEF
DOUBLES = (
    0.0,
    1.0,
    -1.0,
    3.0,
    5.0,
    6.0,
    10.0,
    12.0,
    99.0,
    1e-300,
    1e300,
    1e9,
    np.inf,
    -np.inf,
    np.nan,
    2.0**63,
)
WHOLE = (0, 1, 2, 3, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


@cache
def _silent() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair()


class Wire:
    """A socket that has received all that will ever come, in pieces, and takes whatever is sent."""

    def __init__(self, pieces: list[bytes], then: type[Exception] | None = None):
        self.pieces, self.then, self.sent = [p for p in pieces if p], then, b""

    def recv(self, most: int, *_: Any) -> bytes:
        if not self.pieces:
            if self.then is not None:
                raise self.then
            return b""
        first = self.pieces[0]
        self.pieces[0] = first[most:]
        if not self.pieces[0]:
            self.pieces.pop(0)
        return first[:most]

    def recvfrom(self, most: int) -> tuple[bytes, Any]:
        if not self.pieces:
            raise self.then or BlockingIOError
        return self.pieces.pop(0)[:most], ("127.0.0.1", 1)

    def sendall(self, data: bytes) -> None:
        self.sent += data

    def send(self, data: bytes) -> int:
        self.sent += data
        return len(data)

    def sendto(self, data: bytes, to: Any) -> None:
        self.sent += data

    def fileno(self) -> int:
        """Of a line that is silent, for who waits for something else meanwhile."""
        return _silent()[0].fileno()

    def close(self) -> None:
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def settimeout(self, seconds: float | None) -> None:
        pass

    def gettimeout(self) -> float:
        return 1.0

    setblocking = settimeout

    def setsockopt(self, *_: Any) -> None:
        pass


# the rig protocol


class Plant:
    """What a session drives, without a model."""

    axes = AXES
    signals = (("measured_displacement", AXES), ("measured_force", AXES))
    state = 0

    def reset(self) -> np.ndarray:
        return np.zeros(2 * AXES)

    def step(self, command: np.ndarray) -> np.ndarray:
        return np.concatenate([command, -100.0 * command])


def draw_datagrams(rng: random.Random) -> dict[str, Any]:
    """Commands whose fields are wrong here and there, signed right, and some torn ones."""
    pieces, sequence = [], 0
    for _ in range(6):
        sequence += rng.choice((1, 1, 1, 0, -1, 2**62))
        fields = {
            "kind": rng.choice((1, 1, 1, 1, 2, 0, 255)),
            "state": rng.choice((0, 1, 1, 1, 2, 3, 4, 255)),
            "session": rng.choice((SESSION, SESSION, SESSION, 0, 2**64 - 1)),
            "sequence": sequence % 2**64,
            "clock": rng.choice(WHOLE),
            "values": np.array([rng.choice(DOUBLES) for _ in range(rng.choice((AXES, AXES, 0, 1, 128)))]),
            "echo": rng.choice(WHOLE),
            "flags": rng.choice(WHOLE) % 2**32,
        }
        data = rig_protocol.Datagram(**fields).pack()
        pieces.append(torn(data, rng) if rng.random() < 0.3 else data)
    return {"pieces": pieces, "times": [rng.choice(WHOLE) % 2**45 for _ in pieces]}


def read_datagrams(case: dict[str, Any], at: Path) -> None:
    """Both readers drop what is wrong and never raise."""
    session = Session(Plant(), session=SESSION, rate=1000.0, link_timeout=5, limits={"displacement": 1.0})
    reader = rig_protocol.Reader(rig_protocol.MEASUREMENT, SESSION, AXES)
    now = 10**9
    for data, step in zip(case["pieces"], case["times"], strict=True):
        now += step
        session.receive(data, now)
        session.wait(now)
        reader.read(data, at_most=7)
        reader.read(data)


def draw_handshake(rng: random.Random) -> dict[str, Any]:
    """Lines with other words and numbers, closed with a right end."""
    hello = handshake.Hello(AXES, 1000.0, 5, {"force": 10.0}, "00ff")
    welcome = handshake.Welcome(SESSION, 7001, Plant.signals, {"force": 5.0})
    lines = rng.choice((hello.pack(b"", None), welcome.pack(b"", None))).decode().splitlines()
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(lines))
        word, _, rest = lines[at].partition(" ")
        wrong = str(
            rng.choice((*NUMBERS[:11], "1e999", "-5", "٣", "0x1", "", "nan", "9" * 400, "a b c", "²"))
        )
        lines[at] = rng.choice(
            (f"{word} {wrong}", wrong, f"{word} {rest} {wrong}", "", f"limit {wrong}", f"signal {wrong}")
        )
    data = ("\n".join(lines) + "\n").encode()
    return {"data": torn(data, rng) if rng.random() < 0.4 else data}


def read_handshake(case: dict[str, Any], at: Path) -> None:
    """A server that is greeted so goes on; a loop that is answered so says why not."""
    server = _server()
    server.listener = Caller(Wire([case["data"]], then=TimeoutError))
    server._accept()
    for caller in list(server.callers.values()):
        server._hear(caller)
    server.callers.clear()
    if server.session is not None:
        server._end(rig_protocol.SafeStateReason.ENDED)
        server._close_session()
    for parse in (
        lambda: handshake.Hello.parse(case["data"], b"", None),
        lambda: handshake.Welcome.parse(case["data"], b"", None),
    ):
        try:
            parse()
        except LinkError:
            continue


@dataclasses.dataclass
class Caller:
    """A listener whose next caller is known."""

    wire: Wire

    def accept(self) -> tuple[Wire, Any]:
        return self.wire, ("127.0.0.1", 1)

    def close(self) -> None:
        pass


@cache
def _bound() -> tuple[RigServer, CellServer, driver.EgmDriver, controller.VirtualController]:
    """Servers of which the sockets are exchanged for ours."""
    rig = RigServer(Plant(), Address("127.0.0.1", 0), 1000.0, native=False)
    cell = CellServer(Bench(), Address("127.0.0.1", 0))
    listening = driver.EgmDriver(0)
    arm = controller.VirtualController(("127.0.0.1", 9))
    for each in (rig.listener, rig.datagrams, cell.listener, listening.socket, arm.socket):
        each.close()
    return rig, cell, listening, arm


def _server() -> RigServer:
    return _bound()[0]


# the cell protocol


class Bench(Cell):
    """A cell without a model."""

    name, axes = "bench", AXES

    def begin(self, run: str) -> MoveReply | None:
        return None

    def read(self) -> MoveReply:
        return MoveReply(0, np.zeros(AXES), np.zeros(AXES), 0.0)

    def move(self, move: Any) -> MoveReply:
        return MoveReply(move.number, np.asarray(move.target), np.zeros(AXES), 0.0)

    def halt(self) -> None:
        pass

    def close(self) -> None:
        pass


SAID = {
    "HELLO": {"nonce": "00ff", "axes": AXES},
    "WELCOME": {"name": "bench", "axes": AXES},
    "REFUSED": {"why": "busy"},
    "BEGIN": {"run": "a"},
    "READ": {},
    "MOVE": {"number": 1, "kind": "LINE", "target": [0.0, 0.1], "execution_time": 1.0, "settling_time": 0.0},
    "HALT": {},
    "ALIVE": {},
    "BYE": {},
    "REPLY": {
        "known": True,
        "number": 1,
        "position": [0.0, 0.0],
        "force": [0.0, None],
        "clock": 0.5,
        "trip": "FORCE",
        "value": 2.0,
        "limit": 1.0,
        "extras": {"pose": [1.0, 2.0]},
        "shapes": {"pose": [2]},
    },
}


def frame(rng: random.Random, kind: int, said: Any, session: int, sequence: int) -> bytes:
    """A frame of the cell protocol, signed as one without a key is."""
    body = json.dumps(said, default=str).encode()
    if rng.random() < 0.1:
        body = torn(body, rng)
    if rng.random() < 0.03:
        body = rng.choice((b"[" * 5000, b'{"a":' * 5000, b"1" * 5000, b'{"axes": 1e999}', b"\xff"))
    head = [cell_protocol.MAGIC, cell_protocol.VERSION, kind, 0, session, sequence, len(body), 0]
    if rng.random() < 0.1:
        at = rng.randrange(1, 8)
        head[at] = rng.choice(WHOLE) % (256, 256, 256, 65536, 2**64, 2**64, 2**32, 2**32)[at]
    return cell_protocol.HEADER.pack(*head) + body + bytes(16)


def draw_frames(rng: random.Random) -> dict[str, Any]:
    """A hello that may be wrong, and messages after it in the session that a server with this number would give."""
    names = ["HELLO", *(rng.choice(sorted(SAID)) for _ in range(4))]
    pieces = []
    for i, name in enumerate(names):
        said = damaged(SAID[name], rng) if rng.random() < 0.5 else SAID[name]
        kind = cell_protocol.Message[name] if rng.random() < 0.95 else rng.choice((0, 12, 255))
        pieces.append(frame(rng, kind, said, SESSION if i else 0, i))
    return {"data": torn(b"".join(pieces), rng) if rng.random() < 0.1 else b"".join(pieces), "names": names}


def read_frames(case: dict[str, Any], at: Path) -> None:
    """A served cell takes it and goes on."""
    server = _bound()[1]
    server.listener = Caller(Wire([]))
    wire = Wire([case["data"]])
    line = cell_protocol.FrameStream(wire, None)
    try:
        server._greet(line, b"")
    except (LinkError, OSError):
        return
    line.session = SESSION  # the number is the server's own choice: as if the peer had learnt it
    try:
        for _ in range(8):
            kind, table, _ = line.receive()
            cell_protocol.pack_reply(server._answer(line, kind, table))
    except LinkError:
        return


def draw_replies(rng: random.Random) -> dict[str, Any]:
    """A welcome and replies, from a cell that may be wrong."""
    pieces = [frame(rng, cell_protocol.Message.WELCOME, SAID["WELCOME"], SESSION, 0)]
    for i in range(1, 4):
        name = rng.choice(("REPLY", "REPLY", "REPLY", *sorted(SAID)))
        pieces.append(frame(rng, cell_protocol.Message[name], damaged(SAID[name], rng), SESSION, i))
    return {"data": b"".join(pieces)}


def read_replies(case: dict[str, Any], at: Path) -> None:
    """A creep test's side of a cell that answers so."""
    remote = RemoteCell.__new__(RemoteCell)
    remote.url, remote.axes, remote.name = "tcp://127.0.0.1:1", AXES, "bench"
    remote.stream = cell_protocol.FrameStream(Wire([case["data"]]), None)
    table, _ = remote._await(cell_protocol.Message.WELCOME)
    cell_protocol.number(table, "axes", 1, 4096)
    for _ in range(3):
        remote._reply(remote._request(cell_protocol.Message.READ))


# EGM


def draw_egm(rng: random.Random) -> dict[str, Any]:
    """Messages of both sides with other numbers in them, and torn ones."""
    pieces = []
    for i in range(3):
        pose = {
            "pos": {n: rng.choice(DOUBLES) for n in "xyz"},
            "orient": {f"u{k}": rng.choice(DOUBLES) for k in range(4)},
        }
        joints = {"joints": [rng.choice(DOUBLES) for _ in range(rng.randrange(9))]}
        motion = {
            "cartesian": pose,
            "joints": joints,
            "time": {"sec": rng.choice(WHOLE), "usec": rng.choice(WHOLE)},
        }
        for key in list(motion):
            if rng.random() < 0.3:
                del motion[key]
        speed = {
            "cartesians": {"value": [rng.choice(DOUBLES) for _ in range(rng.randrange(8))]},
            "joints": joints,
        }
        header = {"seqno": rng.choice((i, i + 1, *WHOLE)), "tm": rng.choice(WHOLE), "mtype": rng.randrange(5)}
        if rng.random() < 0.2:
            del header["seqno"]
        message = {"header": header, "feedBack": motion, "planned": motion, "speedRef": speed}
        message |= {"measuredForce": {"force": [rng.choice(DOUBLES) for _ in range(rng.randrange(8))]}}
        data = encode(rng.choice(("EgmRobot", "EgmSensor")), message)
        pieces.append(torn(data, rng) if rng.random() < 0.5 else data)
    return {"pieces": pieces}


def read_egm(case: dict[str, Any], at: Path) -> None:
    """Neither side ends."""
    _, _, listening, arm = _bound()
    listening.peer, listening.newest = None, -1
    arm.axes, arm.newest, arm.target, arm.is_guided = controller.ControllerAxes(), -1, {}, False
    for data in case["pieces"]:
        state = listening._read_state(data, ("127.0.0.1", 1))
        if state is not None:
            plant = driver.EgmPlant.__new__(driver.EgmPlant)
            plant.directions, plant.axes, plant.origin = np.eye(3)[:AXES], AXES, np.zeros(3)
            plant._reading(state)
        arm.socket = Wire([data], then=BlockingIOError)
        arm.cycle()


# OpenSees


def draw_opensees(rng: random.Random) -> dict[str, Any]:
    """Sizes, and frames of their length."""
    sizes = [AXES, 0, 0, 0, 1, 0, 0, 0, AXES, 1, 64]
    if rng.random() < 0.5:
        at = rng.randrange(11)
        sizes[at] = rng.choice((0, 1, 2, 3, 7, 64, 65536, 65537, -1, 2**31 - 1, -(2**31)))
    length = sizes[10] if 0 < sizes[10] <= 65536 else 64
    frames = []
    for _ in range(rng.randrange(5)):
        values = [rng.choice(DOUBLES) for _ in range(min(length, 64))]
        values[0] = float(rng.choice((3, 5, 6, 10, 12, 13, 14, 15, 99, 98, *DOUBLES)))
        frames.append(struct.pack(f"={len(values)}d", *values) + bytes(8 * (length - len(values))))
    data = struct.pack("=11i", *sizes) + b"".join(frames)
    return {"data": torn(data, rng) if rng.random() < 0.3 else data}


def read_opensees(case: dict[str, Any], at: Path) -> None:
    """The server's client says this, and the element that we drive answers so."""
    server = opensees.ElementServer.__new__(opensees.ElementServer)
    server.specimen, server.report, server.stopping, server.udp = (
        opensees.RigElement(Plant()),
        len,
        False,
        False,
    )
    server._stream_channel = lambda: opensees._Stream(Wire([case["data"]]), server)
    with contextlib.suppress(opensees._Stopped):
        server._client()
    plant = AdapterPlant.__new__(AdapterPlant)
    plant.axes, plant.udp, plant.length, plant.frame = AXES, False, 16, np.zeros(16)
    plant.socket = Wire([case["data"]])
    plant.step(np.zeros(AXES))


def readers() -> list[Reader]:
    """All of them."""
    return [
        Reader("rig datagrams", draw_datagrams, read_datagrams),
        Reader("rig handshake", draw_handshake, read_handshake),
        Reader("cell server", draw_frames, read_frames),
        Reader("cell client", draw_replies, read_replies),
        Reader("EGM", draw_egm, read_egm),
        Reader("OpenSees", draw_opensees, read_opensees),
    ]
