"""Datagrams of the rig protocol: one layout for commands and measurements, and its strict reader.

All numbers are little-endian. A datagram of n values has 64 + 8 n bytes:

======  ======  =====================================================================
offset  type    meaning
======  ======  =====================================================================
0       u8[4]   "DVTL"
4       u8      version, 1
5       u8      1 command, 2 measurement
6       u8      state: asked for (command) or being in (measurement); see `State`
7       u8      0
8       u64     session, chosen by the rig in the handshake
16      u64     sequence number; a measurement carries that of the command it answers
24      u64     sender's clock [ns]
32      u64     measurement: clock of the command it answers, as received; command: 0
40      u32     measurement: what brought the rig to its safe state (`Flag`); command: 0
44      u32     n, number of values
48      f64[n]  values
48+8n   u8[16]  SipHash-2-4-128 of all bytes before it under the shared key; zeros without a key
======  ======  =====================================================================

A receiver drops what is not exactly of that form, of its session, signed with its key and newer than the
newest it has accepted, and counts it by reason. It never answers to it.
"""

from __future__ import annotations

import dataclasses
import hmac
import struct
from enum import IntEnum, IntFlag

import numpy as np

from dovetail.links.siphash import TAG_LENGTH, siphash128

MAGIC = b"DVTL"
VERSION = 1
COMMAND, MEASUREMENT = 1, 2
MOST_VALUES = 128  # a datagram then has 1088 bytes and is not fragmented on any usual network
HEADER = struct.Struct("<4sBBBBQQQQII")
NO_TAG = bytes(TAG_LENGTH)


class State(IntEnum):
    """What the loop asks of the rig, or what the rig is in."""

    READY = 0  # in a session, at rest; measurements flow, nothing moves
    ACTIVE = 1  # following commands
    HOLD = 2  # holding the last command
    SAFE = 3  # in its safe state, until the next session


class Flag(IntFlag):
    """Why a rig went to its safe state."""

    TOLD = 1  # the loop asked for it
    SILENCE = 2  # no valid command for the agreed number of ticks
    DISPLACEMENT = 4  # command or position beyond the limit
    FORCE = 8  # force beyond the limit
    NOT_FINITE = 16  # a command or a reading that is not a finite number
    OPERATOR = 32  # emergency stop or switch-off at the rig
    ENDED = 64  # the loop closed the session
    LATE = 128  # the rig could not keep its own clock


class Rejection(IntEnum):
    """Why a datagram was dropped."""

    NONE = 0
    LENGTH = 1
    MAGIC = 2
    VERSION = 3
    KIND = 4
    SESSION = 5
    TAG = 6
    SEQUENCE = 7


@dataclasses.dataclass(frozen=True)
class Datagram:
    """One command or measurement."""

    kind: int
    state: State
    session: int
    sequence: int
    clock: int  # [ns] of the sender
    values: np.ndarray
    echo: int = 0  # [ns] clock of the command that a measurement answers
    flags: int = 0

    def pack(self, key: bytes | None = None) -> bytes:
        """The bytes on the wire."""
        values = np.ascontiguousarray(self.values, dtype="<f8").ravel()
        if len(values) > MOST_VALUES:
            raise ValueError(f"got {len(values)} values; a datagram takes at most {MOST_VALUES}")
        head = HEADER.pack(
            MAGIC,
            VERSION,
            self.kind,
            self.state,
            0,
            self.session,
            self.sequence,
            self.clock,
            self.echo,
            self.flags,
            len(values),
        )
        body = head + values.tobytes()
        return body + (siphash128(key, body) if key else NO_TAG)


def size(count: int) -> int:
    """Bytes of a datagram with `count` values."""
    return HEADER.size + 8 * count + TAG_LENGTH


@dataclasses.dataclass
class Reader:
    """One direction of one session: what is expected, and the newest sequence number accepted."""

    kind: int
    session: int
    count: int  # number of values
    key: bytes | None = None
    newest: int = 0
    rejected: dict[Rejection, int] = dataclasses.field(default_factory=dict)

    def read(self, data: bytes, at_most: int = 2**64 - 1) -> Datagram | None:
        """The datagram, or None if it is to be dropped; never raises.

        An answer's sequence number is `at_most` that of the last command.
        """
        datagram, reason = self._parse(data, at_most)
        if datagram is None:
            self.rejected[reason] = self.rejected.get(reason, 0) + 1
        else:
            self.newest = datagram.sequence
        return datagram

    def _parse(self, data: bytes, at_most: int) -> tuple[Datagram | None, Rejection]:
        if len(data) != size(self.count):
            return None, Rejection.LENGTH
        magic, version, kind, state, zero, session, sequence, clock, echo, flags, count = HEADER.unpack_from(
            data
        )
        if magic != MAGIC:
            return None, Rejection.MAGIC
        if version != VERSION:
            return None, Rejection.VERSION
        if count != self.count:
            return None, Rejection.LENGTH
        if kind != self.kind or zero != 0 or state > State.SAFE:
            return None, Rejection.KIND
        if session != self.session:
            return None, Rejection.SESSION
        body, tag = data[:-TAG_LENGTH], data[-TAG_LENGTH:]
        if not hmac.compare_digest(tag, siphash128(self.key, body) if self.key else NO_TAG):
            return None, Rejection.TAG
        if not self.newest < sequence <= at_most:
            return None, Rejection.SEQUENCE
        values = np.frombuffer(data, dtype="<f8", count=count, offset=HEADER.size)
        return Datagram(kind, State(state), session, sequence, clock, values, echo, flags), Rejection.NONE
