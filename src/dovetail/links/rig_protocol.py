"""Datagrams of the rig protocol: one layout for commands and measurements, with a strict reader.

All numbers are little-endian. A datagram of n values has 64 + 8 n bytes:

======  ======  =====================================================================
offset  type    meaning
======  ======  =====================================================================
0       u8[4]   "DVTL"
4       u8      version, 2
5       u8      1 command, 2 measurement
6       u8      requested state (command) or present state (measurement); see `RigState`
7       u8      0
8       u64     session, chosen by the rig in the handshake
16      u64     sequence number; a measurement has the number of its command
24      u64     clock of the sender [ns]
32      u64     measurement: clock of its command, as received; command: 0
40      u32     measurement: reasons of the safe state (`SafeStateReason`); command: 0
44      u32     n, number of values
48      f64[n]  values
48+8n   u8[16]  SipHash-2-4-128 of all previous bytes under the shared key; zeros without a key
======  ======  =====================================================================

A receiver drops every datagram with another form, session or key, and every one that is not newer than the newest
accepted one. It counts dropped datagrams by reason and does not answer them.
"""

from __future__ import annotations

import dataclasses
import hmac
import struct
from enum import IntEnum, IntFlag

import numpy as np

from dovetail.links.siphash import TAG_LENGTH, siphash128

MAGIC = b"DVTL"
VERSION = 2
COMMAND, MEASUREMENT = 1, 2
MAX_VALUES = 128  # at most 1088 bytes per datagram, not fragmented on common networks
HEADER = struct.Struct("<4sBBBBQQQQII")
NO_TAG = bytes(TAG_LENGTH)


class RigState(IntEnum):
    """State requested by the loop, or present state of the rig."""

    READY = 0  # in a session, at rest or on its way to rest after a motion; measurements flow
    ACTIVE = 1  # following commands
    HOLD = 2  # holding the last command
    SAFE = 3  # in its safe state, until the next session


class SafeStateReason(IntFlag):
    """Reasons why a rig entered its safe state."""

    REQUESTED = 1  # requested by the loop
    LINK_TIMEOUT = 2  # no valid command for the agreed number of ticks
    DISPLACEMENT = 4  # command or position beyond the limit
    FORCE = 8  # force beyond the limit
    NOT_FINITE = 16  # a command or a reading that is not a finite number
    OPERATOR = 32  # emergency stop or switch-off at the rig
    ENDED = 64  # the loop closed the session
    LATE = 128  # the rig could not keep its own clock
    FAILED = 256  # the plant raised an error


class Rejection(IntEnum):
    """Reason why a datagram was dropped."""

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
    state: RigState
    session: int
    sequence: int
    clock: int  # [ns] clock of the sender
    values: np.ndarray
    echo: int = 0  # [ns] measurement: clock of its command
    flags: int = 0

    def pack(self, key: bytes | None = None) -> bytes:
        """Return the bytes of the datagram."""
        values = np.ascontiguousarray(self.values, dtype="<f8").ravel()
        if len(values) > MAX_VALUES:
            raise ValueError(f"got {len(values)} values; a datagram contains at most {MAX_VALUES}")
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
    """Return the length of a datagram with `count` values [bytes]."""
    return HEADER.size + 8 * count + TAG_LENGTH


@dataclasses.dataclass
class Reader:
    """Receiver of one direction of a session: expected datagrams, and the newest accepted sequence number."""

    kind: int
    session: int
    count: int  # number of values
    key: bytes | None = None
    newest: int = 0
    rejected: dict[Rejection, int] = dataclasses.field(default_factory=dict)

    def read(self, data: bytes, at_most: int = 2**64 - 1) -> Datagram | None:
        """Return the datagram, or None if it must be dropped; never raises.

        The sequence number must not exceed `at_most`; for an answer this is the number of the last command.
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
        if kind != self.kind or zero != 0 or state > RigState.SAFE:
            return None, Rejection.KIND
        if session != self.session:
            return None, Rejection.SESSION
        body, tag = data[:-TAG_LENGTH], data[-TAG_LENGTH:]
        if not hmac.compare_digest(tag, siphash128(self.key, body) if self.key else NO_TAG):
            return None, Rejection.TAG
        if not self.newest < sequence <= at_most:
            return None, Rejection.SEQUENCE
        values = np.frombuffer(data, dtype="<f8", count=count, offset=HEADER.size)
        return Datagram(kind, RigState(state), session, sequence, clock, values, echo, flags), Rejection.NONE
