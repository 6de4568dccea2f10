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
from dovetail.testing.limits import exceeds

RIG_LIMITS = {  # limits that the rig checks: by signal, the limit and the reason
    "measured_displacement": ("displacement", SafeStateReason.DISPLACEMENT),
    "measured_force": ("force", SafeStateReason.FORCE),
}
REST_TIME = 0.4  # [s] duration of the path to rest; a plant that follows within 0.1 s is at rest after 0.5 s
REST_TOLERANCE = 0.02  # largest distance from rest of a rig at rest, as a fraction of its largest distance


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


class Returning:
    """Distance of a rig from its first reading, and the end of its return to rest."""

    failure: Exception | None = None  # first error of the plant
    epoch: Any
    state: Any
    tick: Any
    tick_count: Any
    rest_tick: Any  # tick of the start of the path to rest
    rest_command: Any  # [m] command at the start of the path to rest, by axis
    distance: Any  # [m] largest difference of an axis to its first measured displacement
    largest_distance: Any  # [m] in the session

    @property
    def is_at_rest(self) -> bool:
        """True if the rig has not moved, or if the path to rest is complete and the measurement is at its end."""
        if self.epoch is None:
            return True
        if self.state not in (RigState.READY, RigState.SAFE):
            return False
        tolerance = REST_TOLERANCE * self.largest_distance
        path_time = (self.tick_count - self.rest_tick) * self.tick * 1e-9
        path_is_complete = path_time >= REST_TIME or not exceeds(self.rest_command, tolerance)
        return bool(path_is_complete and self.distance <= tolerance)


class Session(Returning):
    """One session of a rig.

    The clock of the rig starts with the first command that moves it. A tick ends when this clock is nearest to an
    integer number of ticks, with or without a command. A command in time is followed and answered immediately. Without
    a command the rig holds the last one, and after `link_timeout` ticks it enters its safe state: it returns to rest in
    half a second and stays there until the next session. It also enters the safe state when it is late by this number
    of ticks, and when its plant raises an error. A rig that is set to ready returns to rest on the same path.
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
        self.reading = self.first_reading = plant.reset()
        self.largest_distance = 0.0
        self.state, self.flags = RigState.READY, SafeStateReason(0)
        self.command = np.zeros(plant.axes)
        self.epoch: int | None = None  # [ns] time of the first moving command, minus one tick
        self.tick_count = 0  # number of ticks since
        self.last_command_time = 0  # [ns] time of the last valid command
        self.rest_tick, self.rest_command = 0, self.command  # at the start of the path to rest

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
        self._return_to_rest(RigState.SAFE)
        self.flags |= reason

    @property
    def distance(self) -> float:
        """Largest difference [m] of an axis to its first measured displacement."""
        moved = _by_signal(self.plant, self.reading - self.first_reading)["measured_displacement"]
        return float(np.max(np.abs(moved)))

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
        elif datagram.state == RigState.READY:  # end of the run
            self._return_to_rest(RigState.READY)

    def _return_to_rest(self, state: RigState) -> None:
        """Enter a state at rest; the path begins at the command unless the rig is on it already."""
        if self.state in (RigState.ACTIVE, RigState.HOLD):
            self.rest_tick, self.rest_command = self.tick_count, self.command
        self.state = state

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
            try:
                self.reading = self.plant.step(self._present_command())
            except Exception as error:  # of a driver: the rig is led to rest with what still works
                self.failure = self.failure or error
                self.go_safe(SafeStateReason.FAILED)
                self.tick_count = due  # it may have waited for long
                return
            self._check_limits()

    def _present_command(self) -> np.ndarray:
        if self.state in (RigState.ACTIVE, RigState.HOLD):
            return self.command
        s = min((self.tick_count - self.rest_tick) * self.tick * 1e-9 / REST_TIME, 1.0)
        return self.rest_command * (1 - s**3 * (10 - 15 * s + 6 * s**2))  # minimum-jerk path to rest

    def _check_limits(self) -> None:
        """Check the reading against the limits of the rig."""
        self.largest_distance = max(self.largest_distance, self.distance)
        for name, values in _by_signal(self.plant, self.reading).items():
            if not np.all(np.isfinite(values)):
                self.go_safe(SafeStateReason.NOT_FINITE)
            if name in RIG_LIMITS and exceeds(values, self.limits.get(RIG_LIMITS[name][0], math.inf)):
                self.go_safe(RIG_LIMITS[name][1])


def _by_signal(plant: Plant, reading: np.ndarray) -> dict[str, np.ndarray]:
    """Return the values of a reading by signal."""
    ends = np.cumsum([count for _, count in plant.signals])
    return {name: reading[end - count : end] for (name, count), end in zip(plant.signals, ends, strict=True)}
