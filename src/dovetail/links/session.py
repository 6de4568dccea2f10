"""Session of a rig with a loop: reaction to each datagram and to missing datagrams.

The session has no socket and no clock; received bytes and times are arguments, so that each rule can be tested without
waiting. Another type of rig only needs another `Plant`.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, TypedDict, runtime_checkable

import numpy as np

from dovetail.links.handshake import Bounds
from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Reader, RigState, SafeStateReason
from dovetail.testing.limit_monitor import exceeds

RIG_LIMITS = {  # limits that the rig checks: by signal, the limit and the reason
    "measured_displacement": ("displacement", SafeStateReason.DISPLACEMENT),
    "measured_force": ("force", SafeStateReason.FORCE),
}
REST_TIME = 0.5  # [s] duration of the move to rest in the safe state


class Plant(Protocol):
    """Plant of a session, stepped by the clock of the rig."""

    axes: int
    signals: tuple[tuple[str, int], ...]  # signals of `step`: names and numbers of values

    def reset(self) -> np.ndarray:
        """Return the plant to rest; return the first reading."""

    def step(self, command: np.ndarray) -> np.ndarray:
        """Follow the command over one tick; return the reading at its end."""


@runtime_checkable
class CompiledPlant(Plant, Protocol):
    """Plant of a native session: the complete tick is one program."""

    @property
    def program(self) -> Any:
        """Function that runs a session, given its handle, until its end."""


class Agreed(TypedDict):
    """Settings of a session that loop and rig have agreed on."""

    session: int
    rate: float  # [Hz]
    link_timeout: int  # ticks
    limits: Bounds
    key: bytes | None


class Session:
    """One session of a rig.

    The clock of the rig starts with the first command that moves it. A tick ends when this clock is nearest to an
    integer number of ticks, with or without a command. A command in time is followed and answered immediately. Without
    a command the rig holds the last one, and after `link_timeout` ticks it enters its safe state: it returns to rest in
    half a second and stays there until the next session. It also enters the safe state when it is late by this number
    of ticks.
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
    ):
        self.plant, self.limits = plant, limits
        self.tick = round(1e9 / rate)  # [ns]
        self.link_timeout = link_timeout
        self.reader = Reader(COMMAND, session, plant.axes, key)
        self.reading = plant.reset()
        self.state, self.flags = RigState.READY, SafeStateReason(0)
        self.command = np.zeros(plant.axes)
        self.epoch: int | None = None  # [ns] time of the first moving command, minus one tick
        self.tick_count = 0  # number of ticks since
        self.last_command_time = 0  # [ns] time of the last valid command
        self.safe_from = (0, self.command)  # tick and command at the start of the safe state

    def receive(self, data: bytes, now: int) -> bytes | None:
        """Return the answer to a datagram received at `now` [ns]; None if it is dropped."""
        datagram = self.reader.read(data)
        if datagram is None:
            return None
        self.last_command_time = now
        self._follow_request(datagram, now)
        self._advance(now)
        return Datagram(
            MEASUREMENT,
            self.state,
            self.reader.session,
            datagram.sequence,
            now,
            self.reading,
            datagram.clock,
            self.flags,
        ).pack(self.reader.key)

    def wait(self, now: int) -> None:
        """Process the time until `now` [ns] without a datagram."""
        if (
            self.state in (RigState.ACTIVE, RigState.HOLD)
            and now - self.last_command_time > self.link_timeout * self.tick
        ):
            self.go_safe(SafeStateReason.LINK_TIMEOUT)
        # a command is in time until half a tick after its tick
        self._advance(now - self.tick)

    def go_safe(self, reason: SafeStateReason) -> None:
        """Enter the safe state; further reasons are added to the first."""
        if self.state != RigState.SAFE:
            self.state, self.safe_from = RigState.SAFE, (self.tick_count, self.command)
        self.flags |= reason

    @property
    def next_wake(self) -> int | None:
        """Time [ns] of the next action of `wait`; None before the rig has started."""
        return None if self.epoch is None else self.epoch + (2 * self.tick_count + 3) * self.tick // 2

    def _follow_request(self, datagram: Datagram, now: int) -> None:
        if self.state == RigState.SAFE:
            return
        if datagram.state == RigState.SAFE:
            self.go_safe(SafeStateReason.REQUESTED)
        elif datagram.state == RigState.ACTIVE:
            if not np.all(np.isfinite(datagram.values)):
                return self.go_safe(SafeStateReason.NOT_FINITE)
            if exceeds(datagram.values, self.limits.get("displacement", math.inf)):
                return self.go_safe(SafeStateReason.DISPLACEMENT)
            self.state, self.command = RigState.ACTIVE, datagram.values
            if self.epoch is None:
                self.epoch = now - self.tick  # the tick of this command ends now
        elif datagram.state == RigState.HOLD and self.state == RigState.ACTIVE:
            self.state = RigState.HOLD
        elif datagram.state == RigState.READY:  # end of the run: the rig is at rest
            self.state = RigState.READY

    def _advance(self, now: int) -> None:
        """Execute all ticks that are due by the clock of the rig."""
        if self.epoch is None:
            return
        due = (now - self.epoch + self.tick // 2) // self.tick
        if due - self.tick_count > self.link_timeout:  # too late to catch up: ticks are skipped
            self.go_safe(SafeStateReason.LATE)
            self.epoch += (due - self.tick_count - self.link_timeout) * self.tick
            due = self.tick_count + self.link_timeout
        while self.tick_count < due:
            self.tick_count += 1
            self.reading = self.plant.step(self._present_command())
            self._check_limits()

    def _present_command(self) -> np.ndarray:
        if self.state != RigState.SAFE:
            return self.command
        tick, command = self.safe_from
        s = min((self.tick_count - tick) * self.tick * 1e-9 / REST_TIME, 1.0)
        return command * (1 - s**3 * (10 - 15 * s + 6 * s**2))  # minimum-jerk path to rest

    def _check_limits(self) -> None:
        """Check the reading against the limits of the rig."""
        first = 0
        for name, count in self.plant.signals:
            values = self.reading[first : first + count]
            first += count
            if not np.all(np.isfinite(values)):
                self.go_safe(SafeStateReason.NOT_FINITE)
            if name in RIG_LIMITS and exceeds(values, self.limits.get(RIG_LIMITS[name][0], math.inf)):
                self.go_safe(RIG_LIMITS[name][1])
