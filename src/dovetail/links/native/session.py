"""Session of a rig in C++, with the attributes and methods of `dovetail.links.session.Session`."""

from __future__ import annotations

import ctypes
import math
import socket
from ctypes import POINTER, c_char_p, c_double, c_int64, c_uint8, c_uint64
from functools import cache
from types import SimpleNamespace

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.handshake import Bounds
from dovetail.links.native.library import Direction, Scheduling, _int64_fields, by_axis, library
from dovetail.links.rig_protocol import MAX_VALUES, Rejection, RigState, SafeStateReason, size
from dovetail.links.session import Plant, Returning


class _Session(ctypes.Structure):
    """`struct Session` of session.cc, field by field."""

    _fields_ = [
        *_int64_fields("socket", "axes", "count", "tick", "link_timeout", "position_at", "force_at"),
        ("wire", Direction),
        ("displacement_limit", c_double * MAX_VALUES),
        ("force_limit", c_double * MAX_VALUES),
        ("scheduling", Scheduling),
        *_int64_fields(
            "ending",
            "requested",
            "started",
            "epoch",
            "tick_count",
            "due",
            "last_command_time",
            "state",
            "flags",
            "rest_tick",
        ),
        ("newest", c_uint64),
        ("command", c_double * MAX_VALUES),
        ("rest_command", c_double * MAX_VALUES),
        ("reading", c_double * MAX_VALUES),
        ("first_reading", c_double * MAX_VALUES),
        ("largest_distance", c_double),
        ("rejected", c_int64 * len(Rejection)),
        *_int64_fields("pending", "asked_at", "stepping"),
        ("asked_sequence", c_uint64),
        ("asked_clock", c_uint64),
        ("asker", c_uint64 * 16),
        ("asker_size", c_int64),
    ]


@cache
def _calls() -> ctypes.CDLL:
    loaded = library()
    loaded.dovetail_session_size.restype = c_int64
    if loaded.dovetail_session_size() != ctypes.sizeof(_Session):
        raise LinkError("the native session is of another version of Dovetail; empty its cache folder")
    one = POINTER(_Session)
    loaded.dovetail_session_receive.argtypes = [one, c_char_p, c_int64, c_int64]
    loaded.dovetail_session_receive.restype = c_int64
    loaded.dovetail_session_wait.argtypes = [one, c_int64]
    loaded.dovetail_session_next.argtypes = [one, POINTER(c_double)]
    loaded.dovetail_session_next.restype = c_int64
    loaded.dovetail_session_took.argtypes = [one, POINTER(c_double)]
    loaded.dovetail_session_answer.argtypes = [one, POINTER(c_uint8)]
    loaded.dovetail_session_answer.restype = c_int64
    return loaded


class NativeSession(Returning):
    """One session of a rig; see `dovetail.links.session.Session`.

    A compiled program with `handle` runs the session over a socket (`VirtualPlant.program`); `receive` and `wait` do
    the same for direct calls.
    """

    def __init__(
        self,
        plant: Plant,
        *,
        session: int,
        rate: float,
        link_timeout: int,
        limits: Bounds,
        key: bytes | None = None,
        datagrams: socket.socket | None = None,
        priority: int = 0,
    ):
        self.library, self.plant, self.limits, self.tick = _calls(), plant, limits, round(1e9 / rate)
        self.link_timeout = link_timeout
        at, first = {}, 0
        for name, count in plant.signals:
            at[name], first = first, first + count
        reading = plant.reset()
        self.inner = _Session(
            socket=-1 if datagrams is None else datagrams.fileno(),
            axes=plant.axes,
            count=first,
            tick=self.tick,
            link_timeout=link_timeout,
            position_at=at["measured_displacement"],
            force_at=at["measured_force"],
            wire=Direction.from_key(session, key),
            displacement_limit=by_axis(limits.get("displacement", math.inf), plant.axes),
            force_limit=by_axis(limits.get("force", math.inf), plant.axes),
            scheduling=Scheduling.request(priority),
            reading=(c_double * MAX_VALUES)(*reading),
            first_reading=(c_double * MAX_VALUES)(*reading),
        )

    @property
    def handle(self) -> int:
        """Address for the compiled program."""
        return ctypes.addressof(self.inner)

    def receive(self, data: bytes, now: int) -> bytes | None:
        """Return the answer to a datagram received at `now` [ns]; None if it is dropped."""
        if self.library.dovetail_session_receive(self.inner, data, len(data), now):
            return None
        self._advance()
        answer = (c_uint8 * size(MAX_VALUES))()
        return bytes(answer[: self.library.dovetail_session_answer(self.inner, answer)])

    def wait(self, now: int) -> None:
        """Process the time until `now` [ns] without a datagram."""
        self.library.dovetail_session_wait(self.inner, now)
        self._advance()

    def go_safe(self, reason: SafeStateReason) -> None:
        """Enter the safe state; further reasons are added to the first."""
        self.inner.requested |= int(reason)  # executed by the program, which may be running

    def end(self) -> None:
        """End the compiled program within a fraction of a second."""
        self.inner.ending = 1

    def _advance(self) -> None:
        command = (c_double * self.inner.axes)()
        while self.library.dovetail_session_next(self.inner, command):
            reading = np.ascontiguousarray(self.plant.step(np.array(command)), dtype=float)
            self.library.dovetail_session_took(self.inner, reading.ctypes.data_as(POINTER(c_double)))

    @property
    def next_wake(self) -> int | None:
        """Time [ns] of the next action of `wait`; None before the rig has started."""
        return None if self.epoch is None else self.epoch + (2 * self.tick_count + 3) * self.tick // 2

    @property
    def epoch(self) -> int | None:
        """Time [ns] one tick before the first moving command; None until then."""
        return self.inner.epoch if self.inner.started else None

    @property
    def state(self) -> RigState:
        """State of the rig."""
        return RigState(self.inner.state)

    @property
    def flags(self) -> SafeStateReason:
        """Reasons of the safe state."""
        return SafeStateReason(self.inner.flags | self.inner.requested)

    @property
    def tick_count(self) -> int:
        """Number of ticks."""
        return int(self.inner.tick_count)

    @property
    def rest_tick(self) -> int:
        """Tick of the start of the path to rest."""
        return int(self.inner.rest_tick)

    @property
    def rest_command(self) -> np.ndarray:
        """Command at the start of the path to rest [m], by axis."""
        return np.array(self.inner.rest_command[: self.inner.axes])

    @property
    def distance(self) -> float:
        """Largest difference [m] of an axis to its first measured displacement."""
        inner = self.inner
        axes = range(inner.position_at, inner.position_at + inner.axes)
        return max(abs(inner.reading[i] - inner.first_reading[i]) for i in axes)

    @property
    def largest_distance(self) -> float:
        """Largest distance [m] in the session."""
        return float(self.inner.largest_distance)

    @property
    def last_command_time(self) -> int:
        """Time of the last valid command [ns]."""
        return int(self.inner.last_command_time)

    @property
    def reader(self) -> SimpleNamespace:
        """Newest sequence number, and numbers of dropped datagrams by reason."""
        rejected = {reason: int(self.inner.rejected[reason]) for reason in Rejection}
        return SimpleNamespace(
            newest=int(self.inner.newest),
            rejected={reason: number for reason, number in rejected.items() if number},
        )
