"""The tick, in Python: sleep to the deadline, send the command, take the measurement, note the times.

This is the fallback where there is no compiler, and the place that explains the rules; `native/tick.cc` is
the same in C++ and the tests run both. The rules:

- Deadlines are absolute: tick n is due at epoch + n dt, so lateness does not add up.
- A command that is not finite is never sent: the rig is told to go to its safe state instead.
- The answer is awaited for a part of the tick; without one the last reading is used again and its age noted.
  No answer for `silence` ticks: the link is lost.
- Late by more than the grace: `count` it and keep the schedule; `hold` the test's time by the whole ticks
  missed; or `stop`.
- The operator may hold (the rig holds, the test's time stands still) or stop (the run ends after this tick
  and the rig is led to rest).
- Led to rest, the rig is told that it is ready again, so that the silence that follows alarms nobody.
- Whatever ends the run, the first reason is kept, and but for the operator's stop the rig is told to go to
  its safe state in that same tick and in every tick that follows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import select
import socket
import time
from typing import Protocol

import numpy as np

from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Reader, Rejection, State, size
from dovetail.testing.outcome import Outcome

LEAVES = 5  # times at most that a rig is told that the run is over, until it answers
OVERRUN = ("count", "hold", "stop")
NOTES = (
    "tick_lateness",
    "exchange_time",
    "compute_time",
    "reading_age",
    "rig_state",
    "code",
    "flags",
    "held",
)


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a tick is opened with; both versions take it."""

    session: int
    axes: int
    count: int  # values in a measurement
    tick: int  # [ns]
    silence: int  # ticks
    overrun: str = "count"
    key: bytes | None = None
    wait: int = 0  # [ns] longest wait for an answer; 0 takes 70 % of the tick
    spin: int = 60_000  # [ns] before the deadline that are spun, not slept
    grace: int = 0  # [ns] lateness that is no overrun; 0 takes half a tick
    fifo: int = 0  # priority under SCHED_FIFO; 0 leaves the scheduling alone
    lock: bool = False  # keep all memory in place
    core: int = -1  # to run on; -1 leaves it to the system
    sequence: int = 0  # of the last command that was sent before

    @property
    def longest_wait(self) -> int:
        """[ns]"""
        return self.wait or self.tick * 7 // 10

    @property
    def allowed_lateness(self) -> int:
        """[ns]"""
        return self.grace or self.tick // 2


class Clock(Protocol):
    """Who keeps the time; a test brings its own."""

    def now(self) -> int:
        """[ns]"""

    def sleep(self, until: int) -> None:
        """Sleep until a time [ns]."""

    def attend(self, connection: socket.socket, until: int) -> None:
        """Wait for a datagram, at most until a time [ns]."""


class WallClock:
    """The machine's monotonic clock."""

    def now(self) -> int:
        """[ns]"""
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
    """What a tick has counted."""

    sent: int = 0
    received: int = 0
    lost: int = 0  # exchanges without any answer
    overruns: int = 0
    held: int = 0  # ticks by which the test's time stood still
    rejected: dict[Rejection, int] = dataclasses.field(default_factory=dict)
    scheduling: dict[str, str] = dataclasses.field(default_factory=dict)  # what was granted or refused


class PythonTick:
    """The tick over a connected datagram socket."""

    def __init__(self, settings: Settings, connection: socket.socket, clock: Clock | None = None):
        self.settings, self.connection, self.clock = settings, connection, clock or WallClock()
        connection.setblocking(False)
        self._counts = Counts()
        self.reader = Reader(MEASUREMENT, settings.session, settings.count, settings.key)
        self._counts.rejected = self.reader.rejected
        self.stop = self.hold = False  # the operator's
        self.sequence = self.reader.newest = settings.sequence
        self.missed = self.done = self.code = 0
        self.safe = self.started = False
        self.epoch = self.ended = 0
        self.rig_state, self.flags = State.READY, 0
        self.reading = np.zeros(settings.count)

    def step(self, state: int, command: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One tick: the reading, and the notes named in `NOTES`."""
        clock, settings = self.clock, self.settings
        entered = clock.now()
        if not self.started:
            self.started, self.done = True, 0
            self.epoch = self.ended = entered
        due = self.epoch + self.done * settings.tick
        clock.sleep(due)
        while self.hold and not self.stop and not self.safe:
            self._exchange(State.HOLD, command)
            if self.missed >= settings.silence:
                self._trip(Outcome.LINK_LOST, tell=True)
            self._counts.held += 1
            self.epoch += settings.tick
            due += settings.tick
            clock.sleep(due)
        start = clock.now()
        late = start - due
        if late > settings.allowed_lateness and not self.safe:
            self._counts.overruns += 1
            if settings.overrun == "stop":
                self._trip(Outcome.DEADLINE, tell=False)
            elif settings.overrun == "hold":
                self._counts.held += late // settings.tick
                self.epoch += late // settings.tick * settings.tick
        if self.stop and not self.code:
            self.code = Outcome.INTERRUPTED.code
        if not np.all(np.isfinite(command)):
            self._trip(Outcome.NOT_FINITE, tell=False)
        self._exchange(State.SAFE if self.safe else State(int(state)), command)
        if self.missed >= settings.silence:
            self._trip(Outcome.LINK_LOST, tell=True)
        if self.rig_state == State.SAFE:
            self._trip(Outcome.RIG_STOPPED, tell=True)
        self.done += 1
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
        """The supervisor's word on this tick: a code above zero sends the rig to its safe state now.

        One below zero is the last word of a run: a rig that is not in its safe state rests, and is told that it is
        ready again. It then does not take the silence that follows for a lost link.
        """
        if code > 0:
            self._trip(Outcome.from_code(code), tell=True)
        for _ in range(LEAVES if code < 0 and not self.safe else 0):
            self._exchange(State.READY, np.zeros(self.settings.axes))
            if not self.missed:
                return

    def counts(self) -> Counts:
        """What was counted so far."""
        return self._counts

    def close(self) -> None:
        """Nothing is kept open: the socket belongs to the connection."""

    def _trip(self, why: Outcome, *, tell: bool) -> None:
        if self.safe:
            return
        self.code = self.code or why.code
        self.safe = True
        if tell:
            self._send(State.SAFE, np.zeros(self.settings.axes))

    def _send(self, state: State, values: np.ndarray) -> None:
        self.sequence += 1
        datagram = Datagram(
            COMMAND, state, self.settings.session, self.sequence, self.clock.now(), np.asarray(values)
        )
        # an error (nobody there, a full queue) is a lost datagram; the missing answer is what counts
        with contextlib.suppress(OSError):
            self.connection.send(datagram.pack(self.settings.key))
            self._counts.sent += 1

    def _exchange(self, state: State, values: np.ndarray) -> None:
        """Send, and take what comes until this command is answered or the wait is over."""
        self._send(state, values)
        until = self.clock.now() + self.settings.longest_wait
        fresh = False
        while self.reader.newest < self.sequence:
            try:
                data = self.connection.recv(size(self.settings.count) + 1)
            except OSError:  # nothing there yet, or nobody is
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
