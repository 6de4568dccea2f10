"""Messages between a creep test and a robot cell: frames on a TCP connection, and their strict reader.

All numbers are little-endian. A frame of n bytes of payload has 48 + n bytes:

======  ======  =====================================================================
offset  type    meaning
======  ======  =====================================================================
0       u8[4]   "DVCL"
4       u8      version, 1
5       u8      kind of message, see `Message`
6       u16     0
8       u64     session, chosen by the cell in its welcome; 0 in the hello
16      u64     sequence number, counted from 0 in each direction
24      u32     n, at most 65536
28      u32     0
32      u8[n]   payload: one JSON table in UTF-8
32+n    u8[16]  SipHash-2-4-128 of all bytes before it under the shared key; zeros without a key
======  ======  =====================================================================

The cell's welcome is signed over the hello too, nonce and all, so that an old answer does not pass for a new
one. A frame that is not exactly of that form, of this session, signed with the key and next in its order ends the
session: on a stream there is nothing to fall back on. A cell whose session has ended stays where it is.
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
from dovetail.testing.pseudodynamic import Move, Reply
from dovetail.transfer.robot import MotionType, TripCode

MAGIC, VERSION = b"DVCL", 1
HEADER = struct.Struct("<4sBBHQQII")
MOST_BYTES = 65536
DEEPEST = 8  # tables and lists of a message inside one another
LONGEST_MOVE = 3600.0  # [s]
CELL_PORT = 7002


class Message(IntEnum):
    """What a frame says, and who may say it."""

    HELLO = 1  # the test: version, number of axes, a nonce
    WELCOME = 2  # the cell: a session, its name and axes
    REFUSED = 3  # the cell: why not
    BEGIN = 4  # the test: the name of its run; answered with a reply
    READ = 5  # the test: where are you? answered with a reply
    MOVE = 6  # the test: go there, rest, read; answered with a reply, and ALIVE until then
    HALT = 7  # the test: stop and stay; answered with a reply
    REPLY = 8  # the cell: pose, force, status
    ALIVE = 9  # the cell: still moving
    BYE = 10  # either: the session is over


def parse_url(url: str) -> Address:
    """`tcp://HOST:PORT`, the port 7002 where it is not said."""
    found = re.fullmatch(r"tcp://(\[[0-9a-fA-F:]+\]|[^:/\s]+)(?::(\d{1,5}))?/?", url)
    port = int(found[2] or CELL_PORT) if found else 0
    if not found or not 1 <= port <= 65535:
        raise LinkError(f'got "{url}"; the address of a robot cell has the form tcp://HOST:PORT')
    return Address(found[1].strip("[]"), port)


@dataclasses.dataclass
class FrameStream:
    """One end of a connection: frames out, frames in, each in its order."""

    socket: socket.socket
    key: bytes | None
    session: int = 0
    sent: int = 0
    received: int = 0
    buffer: bytes = b""

    def send(self, kind: Message, payload: dict[str, Any] | None = None, before: bytes = b"") -> bytes:
        """Send a frame; its bytes. `before` is signed with it and not sent."""
        body = json.dumps(payload or {}, allow_nan=False, separators=(",", ":")).encode()
        frame = HEADER.pack(MAGIC, VERSION, kind, 0, self.session, self.sent, len(body), 0) + body
        frame += siphash128(self.key, before + frame) if self.key else bytes(TAG_LENGTH)
        self.sent += 1
        self.socket.sendall(frame)
        return frame

    def receive(self, before: bytes = b"") -> tuple[Message, dict[str, Any], bytes]:
        """The next frame: its kind, payload and bytes. Waits as long as the socket does, for all of it.

        Raises
        ------
        LinkError
            If the frame is wrong or the connection ended; the session is then over.
        """
        patience = self.socket.gettimeout()
        end = None if patience is None else time.monotonic() + patience
        try:
            return self._frame(before, end)
        finally:
            self.socket.settimeout(patience)

    def _frame(self, before: bytes, end: float | None) -> tuple[Message, dict[str, Any], bytes]:
        head = self._exactly(HEADER.size, end)
        magic, version, kind, zero, session, sequence, size, pad = HEADER.unpack(head)
        if magic != MAGIC:
            raise LinkError("cell: this is not the cell protocol; is another program on that port?")
        if version != VERSION:
            raise LinkError(
                f"cell: the other side speaks version {version} of the cell protocol, not {VERSION}"
            )
        if size > MOST_BYTES:
            raise LinkError(f"cell: a message of {size} bytes; the most is {MOST_BYTES}")
        body, tag = self._exactly(size, end), self._exactly(TAG_LENGTH, end)
        signed = (before if kind == Message.WELCOME else b"") + head + body
        wanted = siphash128(self.key, signed) if self.key else bytes(TAG_LENGTH)
        if not hmac.compare_digest(tag, wanted):
            hint = "the keys differ" if self.key else "the other side uses a key; give its file with --key"
            raise LinkError(f"cell: the signature is wrong: {hint}")
        if session != self.session and kind != Message.WELCOME:
            raise LinkError("cell: a message of another session")
        if sequence != self.received:
            raise LinkError(f"cell: message {sequence} where {self.received} was due: replayed or lost")
        if zero or pad or kind not in Message._value2member_map_:
            raise LinkError(f"cell: a message of unknown kind {kind}")
        self.received += 1
        if kind == Message.WELCOME:
            self.session = session
        return Message(kind), _table(body), head + body + tag

    def _exactly(self, size: int, end: float | None) -> bytes:
        while len(self.buffer) < size:
            if end is not None:  # a peer that sends a byte now and then holds nobody up
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
        raise LinkError(f"cell: a message that is not JSON ({error})") from None
    if not isinstance(table, dict):
        raise LinkError("cell: a message that is no table")
    _check(table, DEEPEST)
    return table


def _check(node: Any, depth: int) -> None:
    """That nothing in a message is too deep to be shown, or too large to be a number of ours."""
    if depth == 0:
        raise LinkError(f"cell: a message of tables more than {DEEPEST} deep")
    if isinstance(node, int) and abs(node) > 2**64:
        raise LinkError(f"cell: a whole number of {node.bit_length()} bits; the most is 64")
    for entry in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _check(entry, depth - 1)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no number")


# what the messages hold


def new_nonce() -> str:
    """Sixteen random hexadecimal digits."""
    return secrets.token_hex(8)


def number(table: dict[str, Any], name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number within a range."""
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise LinkError(f"cell: got {name} {str(value)[:40]!r}; needs a finite number")
    if not low <= value <= high:
        raise LinkError(f"cell: got {name} {value:g}; needs {low:g} to {high:g}")
    return value


def word(table: dict[str, Any], name: str, most: int = 200) -> str:
    """A short line of text."""
    value = table.get(name)
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise LinkError(f"cell: got {name} {str(value)[:40]!r}; needs a line of text")
    return value


def values(table: dict[str, Any], name: str, size: int | None, *, finite: bool = True) -> np.ndarray:
    """A list of so many numbers; null stands for one that is not finite, where that may be."""
    found = table.get(name)
    if not isinstance(found, list) or (size is not None and len(found) != size) or len(found) > 4096:
        raise LinkError(f"cell: got {name} {str(found)[:40]!r}; needs a list of {size} numbers")
    if not all(
        type(v) is float or (v is None and not finite) or (isinstance(v, int) and not isinstance(v, bool))
        for v in found
    ):
        raise LinkError(f"cell: got {name} {str(found)[:40]!r}; needs numbers")
    array = np.array([math.nan if v is None else float(v) for v in found])
    if finite and not np.all(np.isfinite(array)):
        raise LinkError(f"cell: {name} holds a number that is not finite")
    return array


def pack_move(move: Move) -> dict[str, Any]:
    """A move as a message."""
    return {
        "number": move.number,
        "kind": MotionType(move.kind).name,
        "target": np.ravel(move.target).tolist(),
        "execution_time": float(move.execution_time),
        "settling_time": float(move.settling_time),
    }


def read_move(table: dict[str, Any], axes: int) -> Move:
    """A move from a message; `LinkError` says what is wrong with it."""
    kind = word(table, "kind")
    if kind not in MotionType.__members__:
        raise LinkError(f"cell: got the motion {kind[:40]!r}; one of {', '.join(MotionType.__members__)}")
    own_axes = MotionType[kind] is MotionType.JOINT  # as many values as the cell has joints
    return Move(
        int(number(table, "number", 1, 2**53)),
        values(table, "target", None if own_axes else axes),
        number(table, "execution_time", 0.0, LONGEST_MOVE),
        number(table, "settling_time", 0.0, LONGEST_MOVE),
        MotionType[kind],
    )


def pack_reply(reply: Reply | None) -> dict[str, Any]:
    """A reply as a message; nothing known is an empty one."""
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


def read_reply(table: dict[str, Any], axes: int) -> Reply | None:
    """A reply from a message; None where nothing is known."""
    if table.get("known") is False:
        return None
    trip = word(table, "trip")
    if trip not in TripCode.__members__:
        raise LinkError(f"cell: got the trip {trip[:40]!r}; one of {', '.join(TripCode.__members__)}")
    stopped = TripCode[trip] is not TripCode.NONE
    extras, shapes = table.get("extras"), table.get("shapes")
    if not isinstance(extras, dict) or not isinstance(shapes, dict) or extras.keys() != shapes.keys():
        raise LinkError("cell: the extras of a reply are no tables that belong together")
    return Reply(
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
        raise LinkError(f"cell: got the shape {str(shape)[:40]!r} of {name[:40]!r}; needs a list of sizes")
    return values(extras, name, math.prod(shape), finite=False).reshape(shape)


def _listed(array: Any) -> list[float | None]:
    flat = np.ravel(np.asarray(array, dtype=float)).tolist()
    return [v if math.isfinite(v) else None for v in flat]
