"""Tick of the loop in Python: sleep until the deadline, send the command, receive the measurement, record the times.

This version is used without a compiler, and documents the rules; `native/tick.cc` is the same in C++, and the tests run
both. The rules:

- Deadlines are absolute: tick n is due at epoch + n dt, so lateness does not accumulate.
- A command that is not finite is never sent: the rig is sent to its safe state instead.
- The loop waits for the answer for a part of the tick. Without an answer the last reading is used again and its age is
  recorded. Without an answer for `link_timeout` ticks the link is lost.
- If a tick is late by more than `grace`: `count` counts it and keeps the schedule; `hold` shifts the test time by the
  number of complete ticks missed; `stop` stops the run.
- The operator can hold (the rig holds, the test time stops) or stop (the run ends after this tick and the rig returns
  to rest).
- After the return to rest the rig is set to ready, so that the end of the datagrams is not a link timeout.
- The first reason for the end of a run is stored. Except for a stop by the operator, the rig is sent to its safe state
  in this tick and in all following ticks.
"""

from __future__ import annotations

import contextlib
import dataclasses
import select
import socket
import time
from typing import Protocol

import numpy as np

from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Reader, Rejection, RigState, size
from dovetail.testing.outcome import Outcome

MAX_RELEASES = 5  # largest number of messages about the end of the run, until the rig answers
OVERRUN = ("count", "hold", "stop")
NOTES = (
    "tick_lateness",
    "exchange_time",
    "compute_time",
    "measurement_age",
    "rig_state",
    "code",
    "flags",
    "held",
)


@dataclasses.dataclass(frozen=True)
class TickSettings:
    """Settings of a tick, for both versions."""

    session: int
    axes: int
    count: int  # values in a measurement
    tick: int  # [ns]
    link_timeout: int  # ticks
    overrun: str = "count"
    key: bytes | None = None
    wait: int = 0  # [ns] largest time to wait for an answer; 0: 70 % of the tick
    spin: int = 60_000  # [ns] busy waiting before the deadline, instead of sleep
    grace: int = 0  # [ns] accepted lateness; 0: half a tick
    fifo: int = 0  # priority under SCHED_FIFO; 0: default scheduling
    lock: bool = False  # lock all memory
    core: int = -1  # CPU core; -1: any
    sequence: int = 0  # sequence number of the last command sent before

    @property
    def max_wait(self) -> int:
        """Largest time to wait for an answer [ns]."""
        return self.wait or self.tick * 7 // 10

    @property
    def max_lateness(self) -> int:
        """Accepted lateness [ns]."""
        return self.grace or self.tick // 2


class TickTimer(Protocol):
    """Clock of a tick; tests use their own."""

    def now(self) -> int:
        """Return the time [ns]."""

    def sleep(self, until: int) -> None:
        """Sleep until a time [ns]."""

    def attend(self, connection: socket.socket, until: int) -> None:
        """Wait for a datagram, at most until a time [ns]."""


class SystemTimer:
    """Monotonic clock of this machine."""

    def now(self) -> int:
        """Return the time [ns]."""
        return time.monotonic_ns()

    def sleep(self, until: int) -> None:
        """Sleep until a time [ns]."""
        while (left := until - time.monotonic_ns()) > 0:
            time.sleep(left * 1e-9)

    def attend(self, connection: socket.socket, until: int) -> None:
        """Wait for a datagram, at most until a time [ns]."""
        left = until - time.monotonic_ns()
        if left > 0:
            select.select([connection], [], [], left * 1e-9)


@dataclasses.dataclass
class Counts:
    """Counters of a tick."""

    sent: int = 0
    received: int = 0
    lost: int = 0  # exchanges without an answer
    overruns: int = 0
    held: int = 0  # ticks by which the test time was held
    rejected: dict[Rejection, int] = dataclasses.field(default_factory=dict)
    scheduling: dict[str, str] = dataclasses.field(default_factory=dict)  # granted or refused settings


class PythonTick:
    """Tick over a connected datagram socket."""

    def __init__(self, settings: TickSettings, connection: socket.socket, clock: TickTimer | None = None):
        self.settings, self.connection, self.clock = settings, connection, clock or SystemTimer()
        connection.setblocking(False)
        self._counts = Counts()
        self.reader = Reader(MEASUREMENT, settings.session, settings.count, settings.key)
        self._counts.rejected = self.reader.rejected
        self.stop = self.hold = False  # set by the operator
        self.sequence = self.reader.newest = settings.sequence
        self.missed = self.tick_count = self.code = 0
        self.safe = self.started = False
        self.epoch = self.ended = 0
        self.rig_state, self.flags = RigState.READY, 0
        self.reading = np.zeros(settings.count)

    def step(self, state: int, command: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Execute one tick; return the reading and the notes named in `NOTES`."""
        clock, settings = self.clock, self.settings
        entered = clock.now()
        if not self.started:
            self.started, self.tick_count = True, 0
            self.epoch = self.ended = entered
        due = self.epoch + self.tick_count * settings.tick
        clock.sleep(due)
        while self.hold and not self.stop and not self.safe:
            self._exchange(RigState.HOLD, command)
            if self.missed >= settings.link_timeout:
                self._trip(Outcome.LINK_LOST, notify=True)
            self._counts.held += 1
            self.epoch += settings.tick
            due += settings.tick
            clock.sleep(due)
        start = clock.now()
        late = start - due
        if late > settings.max_lateness and not self.safe:
            self._counts.overruns += 1
            if settings.overrun == "stop":
                self._trip(Outcome.DEADLINE, notify=False)
            elif settings.overrun == "hold":
                self._counts.held += late // settings.tick
                self.epoch += late // settings.tick * settings.tick
        if self.stop and not self.code:
            self.code = Outcome.INTERRUPTED.code
        if not np.all(np.isfinite(command)):
            self._trip(Outcome.NOT_FINITE, notify=False)
        self._exchange(RigState.SAFE if self.safe else RigState(int(state)), command)
        if self.missed >= settings.link_timeout:
            self._trip(Outcome.LINK_LOST, notify=True)
        if self.rig_state == RigState.SAFE:
            self._trip(Outcome.RIG_STOPPED, notify=True)
        self.tick_count += 1
        before, self.ended = self.ended, clock.now()
        notes = (
            late * 1e-9,
            (self.ended - start) * 1e-9,
            (entered - before) * 1e-9,
            self.sequence - self.reader.newest,
            self.rig_state,
            self.code,
            self.flags,
            self._counts.held,
        )
        return self.reading.copy(), np.array(notes, dtype=float)

    def settle(self, code: int) -> None:
        """Process the result of the limit monitor: a code above zero sends the rig to its safe state.

        A code below zero ends the run: a rig at rest that is not in its safe state is set to ready, so that the end of
        the datagrams is not a link timeout.
        """
        if code > 0:
            self._trip(Outcome.from_code(code), notify=True)
        for _ in range(MAX_RELEASES if code < 0 and not self.safe else 0):
            self._exchange(RigState.READY, np.zeros(self.settings.axes))
            if not self.missed:
                return

    def counts(self) -> Counts:
        """Return the counters."""
        return self._counts

    def close(self) -> None:
        """Do nothing: the socket belongs to the connection."""

    def _trip(self, outcome: Outcome, *, notify: bool) -> None:
        if self.safe:
            return
        self.code = self.code or outcome.code
        self.safe = True
        if notify:
            self._send(RigState.SAFE, np.zeros(self.settings.axes))

    def _send(self, state: RigState, values: np.ndarray) -> None:
        self.sequence += 1
        datagram = Datagram(
            COMMAND, state, self.settings.session, self.sequence, self.clock.now(), np.asarray(values)
        )
        # an error (no receiver, full queue) is a lost datagram, which is noticed by the missing answer
        with contextlib.suppress(OSError):
            self.connection.send(datagram.pack(self.settings.key))
            self._counts.sent += 1

    def _exchange(self, state: RigState, values: np.ndarray) -> None:
        """Send, and receive datagrams until this command is answered or the waiting time has passed."""
        self._send(state, values)
        until = self.clock.now() + self.settings.max_wait
        fresh = False
        while self.reader.newest < self.sequence:
            try:
                data = self.connection.recv(size(self.settings.count) + 1)
            except OSError:  # no datagram yet, or no receiver
                if self.clock.now() >= until:
                    break
                self.clock.attend(self.connection, until)
                continue
            datagram = self.reader.read(data, self.sequence)
            if datagram is not None:
                fresh = True
                self._counts.received += 1
                self.reading, self.flags = np.array(datagram.values), datagram.flags
                self.rig_state = datagram.state
        self.missed = 0 if fresh else self.missed + 1
        self._counts.lost += not fresh
