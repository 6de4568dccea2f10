"""Messages between a pseudo-dynamic test and a robot cell: frames on a TCP connection, with a strict reader.

All numbers are little-endian. A frame of n bytes of payload has 48 + n bytes:

======  ======  =====================================================================
offset  type    meaning
======  ======  =====================================================================
0       u8[4]   "DVCL"
4       u8      version, 2
5       u8      type of the message, see `Message`
6       u16     0
8       u64     session, chosen by the cell in its welcome; 0 in the hello
16      u64     sequence number, counted from 0 in each direction
24      u32     n, at most 65536
28      u32     0
32      u8[n]   payload: one JSON table in UTF-8
32+n    u8[16]  SipHash-2-4-128 of all previous bytes under the shared key; zeros without a key
======  ======  =====================================================================

The cell sends a challenge first. The signature of the hello also covers the challenge, and that of the welcome the
hello, so that neither an old hello nor an old answer is accepted as a new one. A frame with another form, session, key
or sequence number ends the session. A cell whose session has ended stays at its position.
"""

from __future__ import annotations

import dataclasses
import hmac
import json
import math
import re
import secrets
import socket
import struct
import time
from enum import IntEnum
from typing import Any

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.siphash import TAG_LENGTH, siphash128
from dovetail.testing.pseudodynamic import MoveReply, MoveRequest
from dovetail.transfer.robot import MotionType, TripCode

MAGIC, VERSION = b"DVCL", 2
HEADER = struct.Struct("<4sBBHQQII")
MAX_BYTES = 65536
MAX_DEPTH = 8  # nesting of tables and lists in a message
MAX_MOVE_TIME = 3600.0  # [s]
CELL_PORT = 7002


class Message(IntEnum):
    """Type of a message, and its sender."""

    HELLO = 1  # the test: version, number of axes, a nonce
    WELCOME = 2  # the cell: a session, its name and axes
    REFUSED = 3  # the cell: reason of a refusal
    BEGIN = 4  # the test: the name of its run; answered with a reply
    READ = 5  # the test: request of the present state; answered with a reply
    MOVE = 6  # the test: move, settle and measure; answered with ALIVE messages and a reply
    HALT = 7  # the test: stop; answered with a reply
    REPLY = 8  # the cell: pose, force, status
    ALIVE = 9  # the cell: the move continues
    BYE = 10  # either: end of the session
    CHALLENGE = 11  # the cell, to each client: a nonce


def parse_url(url: str) -> Address:
    """Return the address for `tcp://HOST:PORT` (default port: 7002)."""
    match = re.fullmatch(r"tcp://(\[[0-9a-fA-F:]+\]|[^:/\s]+)(?::(\d{1,5}))?/?", url)
    if not match or not 1 <= (port := int(match[2] or CELL_PORT)) <= 65535:
        raise LinkError(f'got "{url}"; the address of a robot cell has the form tcp://HOST:PORT')
    return Address(match[1].strip("[]"), port)


@dataclasses.dataclass
class FrameStream:
    """One end of a connection: sends and receives frames in order."""

    socket: socket.socket
    key: bytes | None
    session: int = 0
    sent: int = 0
    received: int = 0
    buffer: bytes = b""

    def send(self, kind: Message, payload: dict[str, Any] | None = None, before: bytes = b"") -> bytes:
        """Send a frame and return its bytes; the signature also covers `before`, which is not sent."""
        body = json.dumps(payload or {}, allow_nan=False, separators=(",", ":")).encode()
        frame = HEADER.pack(MAGIC, VERSION, kind, 0, self.session, self.sent, len(body), 0) + body
        frame += siphash128(self.key, before + frame) if self.key else bytes(TAG_LENGTH)
        self.sent += 1
        self.socket.sendall(frame)
        return frame

    def receive(self, before: bytes = b"") -> tuple[Message, dict[str, Any], bytes]:
        """Return type, payload and bytes of the next frame; wait for it up to the time-out of the socket.

        Raises
        ------
        LinkError
            If the frame is not valid or the connection ended; the session is then over.
        """
        timeout = self.socket.gettimeout()
        end = None if timeout is None else time.monotonic() + timeout
        try:
            return self._frame(before, end)
        finally:
            self.socket.settimeout(timeout)

    def _frame(self, before: bytes, end: float | None) -> tuple[Message, dict[str, Any], bytes]:
        head = self._exactly(HEADER.size, end)
        magic, version, kind, zero, session, sequence, size, pad = HEADER.unpack(head)
        if magic != MAGIC:
            raise LinkError(
                "cell: got bytes that are not the cell protocol; check whether another program uses this port"
            )
        if version != VERSION:
            raise LinkError(
                f"cell: the other side uses version {version} of the cell protocol; expected {VERSION}"
            )
        if size > MAX_BYTES:
            raise LinkError(f"cell: got a message of {size} bytes; expected at most {MAX_BYTES}")
        body, tag = self._exactly(size, end), self._exactly(TAG_LENGTH, end)
        signed = (before if kind in (Message.HELLO, Message.WELCOME) else b"") + head + body
        expected = siphash128(self.key, signed) if self.key else bytes(TAG_LENGTH)
        if not hmac.compare_digest(tag, expected):
            hint = "the keys differ" if self.key else "the other side uses a key; give its file with --key"
            raise LinkError(f"cell: the signature is wrong: {hint}")
        if session != self.session and kind != Message.WELCOME:
            raise LinkError("cell: got a message of another session")
        if sequence != self.received:
            raise LinkError(
                f"cell: got message {sequence}; expected {self.received}: a message was repeated or lost"
            )
        if zero or pad or all(kind != message.value for message in Message):
            raise LinkError(f"cell: got a message of the unknown type {kind}")
        self.received += 1
        if kind == Message.WELCOME:
            self.session = session
        return Message(kind), _table(body), head + body + tag

    def _exactly(self, size: int, end: float | None) -> bytes:
        while len(self.buffer) < size:
            if end is not None:  # the time limit is for the complete frame
                self.socket.settimeout(max(end - time.monotonic(), 1e-3))
            piece = self.socket.recv(65536)
            if not piece:
                raise LinkError("cell: the connection was closed")
            self.buffer += piece
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data


def _table(body: bytes) -> dict[str, Any]:
    try:
        table = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise LinkError(f"cell: got a message that is not JSON ({error})") from None
    if not isinstance(table, dict):
        raise LinkError("cell: got a message that is not a table")
    _check(table, MAX_DEPTH)
    return table


def _check(node: Any, depth: int) -> None:
    """Raise `LinkError` if a message is nested too deeply or contains an integer of more than 64 bits."""
    if depth == 0:
        raise LinkError(f"cell: got a message with more than {MAX_DEPTH} nested tables")
    if isinstance(node, int) and abs(node) > 2**64:
        raise LinkError(f"cell: got an integer of {node.bit_length()} bits; expected at most 64")
    for entry in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _check(entry, depth - 1)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def new_nonce() -> str:
    """Return sixteen random hexadecimal digits."""
    return secrets.token_hex(8)


def number(table: dict[str, Any], name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Return an entry that is a finite number within a range."""
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise LinkError(f"cell: got {name} {str(value)[:40]!r}; expected a finite number")
    if not low <= value <= high:
        raise LinkError(f"cell: got {name} {value:g}; expected {low:g} to {high:g}")
    return value


def word(table: dict[str, Any], name: str, max_length: int = 200) -> str:
    """Return an entry that is a short line of text."""
    value = table.get(name)
    if not isinstance(value, str) or len(value) > max_length or not value.isprintable():
        raise LinkError(f"cell: got {name} {str(value)[:40]!r}; expected a line of text")
    return value


def values(table: dict[str, Any], name: str, size: int | None, *, finite: bool = True) -> np.ndarray:
    """Return an entry that is a list of `size` numbers; null is a value that is not finite, if permitted."""
    entries = table.get(name)
    if not isinstance(entries, list) or (size is not None and len(entries) != size) or len(entries) > 4096:
        raise LinkError(f"cell: got {name} {str(entries)[:40]!r}; expected a list of {size} numbers")
    if not all(
        type(v) is float or (v is None and not finite) or (isinstance(v, int) and not isinstance(v, bool))
        for v in entries
    ):
        raise LinkError(f"cell: got {name} {str(entries)[:40]!r}; expected numbers")
    array = np.array([math.nan if v is None else float(v) for v in entries])
    if finite and not np.all(np.isfinite(array)):
        raise LinkError(f"cell: {name} contains a value that is not finite")
    return array


def pack_move(move: MoveRequest) -> dict[str, Any]:
    """Return the message of a move."""
    return {
        "number": move.number,
        "kind": MotionType(move.kind).name,
        "target": np.ravel(move.target).tolist(),
        "execution_time": float(move.execution_time),
        "settling_time": float(move.settling_time),
    }


def read_move(table: dict[str, Any], axes: int) -> MoveRequest:
    """Return the move in a message; raise `LinkError` with the fault."""
    kind = word(table, "kind")
    if kind not in MotionType.__members__:
        raise LinkError(
            f"cell: got the motion {kind[:40]!r}; expected one of {', '.join(MotionType.__members__)}"
        )
    own_axes = MotionType[kind] is MotionType.JOINT  # one value per joint
    return MoveRequest(
        int(number(table, "number", 1, 2**53)),
        values(table, "target", None if own_axes else axes),
        number(table, "execution_time", 0.0, MAX_MOVE_TIME),
        number(table, "settling_time", 0.0, MAX_MOVE_TIME),
        MotionType[kind],
    )


def pack_reply(reply: MoveReply | None) -> dict[str, Any]:
    """Return the message of a reply; without reply the message has no values."""
    if reply is None:
        return {"known": False}
    return {
        "known": True,
        "number": reply.number,
        "position": _listed(reply.position),
        "force": _listed(reply.force),
        "clock": float(reply.clock),
        "trip": reply.trip.name,
        "value": float(reply.value) if math.isfinite(reply.value) else 0.0,
        "limit": float(reply.limit) if math.isfinite(reply.limit) else 0.0,
        "extras": {name: _listed(value) for name, value in reply.extras.items()},
        "shapes": {name: list(np.shape(value)) for name, value in reply.extras.items()},
    }


def read_reply(table: dict[str, Any], axes: int) -> MoveReply | None:
    """Return the reply in a message, or None."""
    if table.get("known") is False:
        return None
    trip = word(table, "trip")
    if trip not in TripCode.__members__:
        raise LinkError(f"cell: got the trip {trip[:40]!r}; one of {', '.join(TripCode.__members__)}")
    stopped = TripCode[trip] is not TripCode.NONE
    extras, shapes = table.get("extras"), table.get("shapes")
    if not isinstance(extras, dict) or not isinstance(shapes, dict) or extras.keys() != shapes.keys():
        raise LinkError("cell: got a reply whose extras and shapes are not tables with the same names")
    return MoveReply(
        int(number(table, "number", 0, 2**53)),
        values(table, "position", axes, finite=not stopped),
        values(table, "force", axes, finite=not stopped),
        number(table, "clock", 0.0),
        TripCode[trip],
        number(table, "value"),
        number(table, "limit"),
        {name: _shaped(extras, name, shapes[name]) for name in extras},
    )


def _shaped(extras: dict[str, Any], name: str, shape: Any) -> np.ndarray:
    if not isinstance(shape, list) or not all(isinstance(n, int) and 0 <= n <= 4096 for n in shape):
        raise LinkError(f"cell: got the shape {str(shape)[:40]!r} of {name[:40]!r}; expected a list of sizes")
    return values(extras, name, math.prod(shape), finite=False).reshape(shape)


def _listed(array: Any) -> list[float | None]:
    flat = np.ravel(np.asarray(array, dtype=float)).tolist()
    return [v if math.isfinite(v) else None for v in flat]
