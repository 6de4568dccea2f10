"""Tick of the loop in Python: sleep until the deadline, send the command, receive the measurement, record the times.

This version is used without a compiler, and documents the rules; `native/tick.cc` is the same in C++, and the tests run
both. The rules:

- Deadlines are absolute: tick n is due at epoch + n dt, so lateness does not accumulate.
- A command that is not finite is never sent: the rig is sent to its safe state instead.
- The loop waits for the answer for a part of the tick. Without an answer the last reading is used again and its age is
  recorded: the number of commands sent since the command that it answers. The link is lost if the age reaches
  `link_timeout` ticks, or if the fraction of unanswered commands exceeds its limit. This fraction is a running mean
  over `UNANSWERED_WINDOW` link timeouts.
- If a tick is late by more than `grace`: `hold` shifts the test time by the nearest number of ticks, so that no
  commands are sent to catch up; `count` keeps the schedule; `stop` stops the run.
- A command is compared with the limits of velocity and acceleration by the times at which commands are sent. The rig
  stands still during a late tick, so that the next command must not need more than the limit of acceleration. Commands
  after it must not move the rig faster than the limit of velocity; lateness below `grace` has no influence.
- The operator can hold (the rig holds, the test time stops) or stop (the run ends after this tick and the rig returns
  to rest).
- After the return to rest the rig is set to ready, so that the end of the datagrams is not a link timeout.
- The first reason for the end of a run is stored, with the value that exceeded its limit. Except for a stop by the
  operator, the rig is sent to its safe state in this tick and in all following ticks.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import select
import socket
import time
from enum import IntEnum
from typing import Protocol

import numpy as np

from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Reader, Rejection, RigState, size
from dovetail.testing.limits import exceeds
from dovetail.testing.outcome import Outcome

CLOCK = getattr(time, "CLOCK_BOOTTIME", None)  # does not stand still while the machine is suspended
UNANSWERED_WINDOW = 10  # link timeouts over which the fraction of unanswered commands is averaged
MAX_RELEASES = 5  # largest number of messages about the end of the run, until the rig answers
OVERRUN = ("count", "hold", "stop")


class Quantity(IntEnum):
    """Quantity of a tick that exceeded its limit; the name is that of the signal."""

    NONE = 0
    TICK_LATENESS = 1
    MEASUREMENT_AGE = 2
    UNANSWERED_FRACTION = 3
    VELOCITY = 4
    ACCELERATION = 5


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
    overrun: str = "hold"
    unanswered_fraction: float = 1.0  # largest fraction of commands without an answer
    velocity: float | np.ndarray = math.inf  # [m/s] largest velocity of the commands sent, by axis
    acceleration: float | np.ndarray = math.inf  # [m/s^2] largest acceleration after a late tick, by axis
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


def system_time() -> int:
    """Return the time of this machine [ns], which includes the time of a suspension."""
    return time.monotonic_ns() if CLOCK is None else time.clock_gettime_ns(CLOCK)


class SystemTimer:
    """Clock of this machine."""

    def now(self) -> int:
        """Return the time [ns]."""
        return system_time()

    def sleep(self, until: int) -> None:
        """Sleep until a time [ns]."""
        while (left := until - system_time()) > 0:
            time.sleep(left * 1e-9)

    def attend(self, connection: socket.socket, until: int) -> None:
        """Wait for a datagram, at most until a time [ns]."""
        left = until - system_time()
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
    max_age: int = 0  # [ticks] of a reading
    max_lateness: int = 0  # [ns] of a command
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
        self.tick_count = self.code = 0
        self.safe = self.started = False
        self.epoch = self.ended = 0
        self.rig_state, self.rig_flags = RigState.READY, 0
        self.reading = np.zeros(settings.count)
        self.unanswered = 0.0  # running mean of the commands without an answer
        self.last: np.ndarray | None = None  # [m] last command sent
        self.anchor, self.anchor_time = (
            np.zeros(settings.axes),
            -math.inf,
        )  # previous command [m] and its time [ns]
        self.exceeded = (Quantity.NONE, 0.0, 0.0)  # quantity that ended the run, value, limit

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
            self._counts.held += 1
            self.epoch += settings.tick
            due += settings.tick
            clock.sleep(due)
        start = clock.now()
        late = start - due
        if self.stop and not self.code:
            self.code = Outcome.INTERRUPTED.code
        if not self.safe:
            self._check_lateness(late)
            self._check_motion(np.asarray(command), start, late > settings.max_lateness)
        self._exchange(RigState.SAFE if self.safe else RigState(int(state)), command)
        self.tick_count += 1
        before, self.ended = self.ended, clock.now()
        notes = (
            late * 1e-9,
            (self.ended - start) * 1e-9,
            (entered - before) * 1e-9,
            self.age,
            self.rig_state,
            self.code,
            self.rig_flags,
            self._counts.held,
        )
        return self.reading.copy(), np.array(notes, dtype=float)

    def settle(self, code: int) -> None:
        """Process the result of the limit monitor: a code above zero sends the rig to its safe state.

        A code below zero ends the run: a rig that is not in its safe state is set to ready, so that the end of the
        datagrams is not a link timeout. The link is lost if the rig does not answer.
        """
        if code > 0:
            self._trip(Outcome.from_code(code))
        for _ in range(MAX_RELEASES if code < 0 else 0):
            if not self.safe:
                self._exchange(RigState.READY, np.zeros(self.settings.axes))
            if self.age == 0 or self.safe:
                return
        if code < 0:
            self._trip(Outcome.LINK_LOST, Quantity.MEASUREMENT_AGE, self.age, MAX_RELEASES)

    def counts(self) -> Counts:
        """Return the counters."""
        return self._counts

    def close(self) -> None:
        """Do nothing: the socket belongs to the connection."""

    @property
    def age(self) -> int:
        """Number of commands sent since the command of the last reading."""
        return self.sequence - self.reader.newest

    def _check_lateness(self, late: int) -> None:
        """Process the lateness [ns] of a command."""
        settings = self.settings
        self._counts.max_lateness = max(self._counts.max_lateness, late)
        if late <= settings.max_lateness:
            return
        self._counts.overruns += 1
        if settings.overrun == "stop":
            limit = settings.max_lateness * 1e-9
            self._trip(Outcome.DEADLINE, Quantity.TICK_LATENESS, late * 1e-9, limit, notify=False)
        elif settings.overrun == "hold":
            ticks = (late + settings.tick // 2) // settings.tick
            self._counts.held += ticks
            self.epoch += ticks * settings.tick

    def _check_motion(self, command: np.ndarray, now: int, stalled: bool) -> None:
        """Compare the motion of the commands sent until `now` [ns] with the limits of velocity and acceleration."""
        if not np.all(np.isfinite(command)):
            return self._trip(Outcome.NOT_FINITE, notify=False)
        settings, dt = self.settings, self.settings.tick * 1e-9
        last = command if self.last is None else self.last
        if now - self.anchor_time >= settings.tick:
            self.anchor, self.anchor_time = last, now
        velocity = (command - self.anchor) / ((now - self.anchor_time) * 1e-9 + 1.5 * dt)
        acceleration = (command - last) / dt**2 * stalled
        for quantity, values, limit in (
            (Quantity.VELOCITY, velocity, settings.velocity),
            (Quantity.ACCELERATION, acceleration, settings.acceleration),
        ):
            if exceeds(values, limit):
                worst = int(np.argmax(np.abs(values) / limit))
                value, bound = abs(values[worst]), np.broadcast_to(limit, values.shape)[worst]
                self._trip(Outcome[quantity.name], quantity, value, bound, notify=False)
        self.last = np.array(command)

    def _trip(
        self,
        outcome: Outcome,
        quantity: Quantity = Quantity.NONE,
        value: float = 0.0,
        limit: float = 0.0,
        *,
        notify: bool = True,
    ) -> None:
        """Store the first reason for the end of the run, and send the rig to its safe state."""
        if self.safe:
            return
        if not self.code:
            self.code, self.exceeded = outcome.code, (quantity, float(value), float(limit))
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
                self.reading, self.rig_flags = np.array(datagram.values), datagram.flags
                self.rig_state = datagram.state
        self._counts.lost += not fresh
        self._counts.max_age = max(self._counts.max_age, self.age)
        settings = self.settings
        self.unanswered += (float(not fresh) - self.unanswered) / (UNANSWERED_WINDOW * settings.link_timeout)
        if self.age >= settings.link_timeout:
            self._trip(Outcome.LINK_LOST, Quantity.MEASUREMENT_AGE, self.age, settings.link_timeout)
        elif self.unanswered > settings.unanswered_fraction:
            limit = settings.unanswered_fraction
            self._trip(Outcome.LINK_LOST, Quantity.UNANSWERED_FRACTION, self.unanswered, limit)
        if self.rig_state == RigState.SAFE:
            self._trip(Outcome.RIG_STOPPED)
