"""The rig's side of a session: what it does with each datagram, and with silence.

No sockets and no clock in here: both are handed in, so that every rule can be tested in no time. A rig of
another kind needs only another `Plant`.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, TypedDict, runtime_checkable

import numpy as np

from dovetail.links.handshake import Bounds
from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Flag, Reader, State
from dovetail.testing.limit_monitor import beyond

OWN = {  # what a rig watches for itself: the reading, its limit and the flag; the supervisor's own comparison
    "measured_displacement": ("displacement", Flag.DISPLACEMENT),
    "measured_force": ("force", Flag.FORCE),
}
REST_TIME = 0.5  # [s] in which a rig moves to rest in its safe state


class Plant(Protocol):
    """What a session drives: one step of the rig's clock at a time."""

    axes: int
    signals: tuple[tuple[str, int], ...]  # what `step` returns: names and numbers of values

    def reset(self) -> np.ndarray:
        """Back to rest; the first reading."""

    def step(self, command: np.ndarray) -> np.ndarray:
        """Follow the command over one tick; the reading at its end."""


@runtime_checkable
class CompiledPlant(Plant, Protocol):
    """A plant that a native session drives: its whole tick is one program."""

    @property
    def program(self) -> Any:
        """Runs a session, given its handle, until it is over."""


class Agreed(TypedDict):
    """What loop and rig agreed on for a session."""

    session: int
    rate: float  # [Hz]
    silence: int  # ticks
    limits: Bounds
    key: bytes | None


class Session:
    """One session of a rig.

    The rig keeps its own time from the first command that moves it: a tick ends whenever its clock is
    nearest to a whole number of ticks, command or not. A command that comes on time is thus followed and
    answered at once; when none comes the rig goes on holding the last one, and after `silence` ticks it goes
    to its safe state: back to rest in half a second, and there until the next session. So it does when it
    falls behind its own clock by as much.
    """

    def __init__(
        self,
        plant: Plant,
        *,
        session: int,
        rate: float,
        silence: int,
        limits: Bounds,
        key: bytes | None = None,
    ):
        self.plant, self.limits = plant, limits
        self.tick = round(1e9 / rate)  # [ns]
        self.silence = silence
        self.reader = Reader(COMMAND, session, plant.axes, key)
        self.reading = plant.reset()
        self.state, self.flags = State.READY, Flag(0)
        self.command = np.zeros(plant.axes)
        self.epoch: int | None = None  # [ns] own clock when the first moving command came
        self.done = 0  # ticks taken since
        self.heard = 0  # [ns] when the last valid command came
        self.safe_from = (0, self.command)  # tick and command at which the safe state began

    def receive(self, data: bytes, now: int) -> bytes | None:
        """The answer to a datagram that came at `now` [ns]; None if it is to be dropped."""
        datagram = self.reader.read(data)
        if datagram is None:
            return None
        self.heard = now
        self._obey(datagram, now)
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
        """Let time pass until `now` [ns] with no word from the loop."""
        if self.state in (State.ACTIVE, State.HOLD) and now - self.heard > self.silence * self.tick:
            self.go_safe(Flag.SILENCE)
        # a command is on time until half a tick after its tick; only then is it given up
        self._advance(now - self.tick)

    def go_safe(self, why: Flag) -> None:
        """To the safe state; further reasons are added to the first."""
        if self.state != State.SAFE:
            self.state, self.safe_from = State.SAFE, (self.done, self.command)
        self.flags |= why

    @property
    def next_wake(self) -> int | None:
        """Clock [ns] at which `wait` has something to do; None while the rig has not started."""
        return None if self.epoch is None else self.epoch + (2 * self.done + 3) * self.tick // 2

    def _obey(self, datagram: Datagram, now: int) -> None:
        if self.state == State.SAFE:
            return
        if datagram.state == State.SAFE:
            self.go_safe(Flag.TOLD)
        elif datagram.state == State.ACTIVE:
            if not np.all(np.isfinite(datagram.values)):
                return self.go_safe(Flag.NOT_FINITE)
            if beyond(datagram.values, self.limits.get("displacement", math.inf)):
                return self.go_safe(Flag.DISPLACEMENT)
            self.state, self.command = State.ACTIVE, datagram.values
            if self.epoch is None:
                self.epoch = now - self.tick  # the tick that leads to this command ends now
        elif datagram.state == State.HOLD and self.state == State.ACTIVE:
            self.state = State.HOLD
        elif datagram.state == State.READY:  # the loop has led the rig to rest and takes its leave
            self.state = State.READY

    def _advance(self, now: int) -> None:
        """Take the ticks that the rig's own clock says are due."""
        if self.epoch is None:
            return
        due = (now - self.epoch + self.tick // 2) // self.tick
        if due - self.done > self.silence:  # a rig that is this late does not catch up: time is lost
            self.go_safe(Flag.LATE)
            self.epoch += (due - self.done - self.silence) * self.tick
            due = self.done + self.silence
        while self.done < due:
            self.done += 1
            self.reading = self.plant.step(self._followed())
            self._watch()

    def _followed(self) -> np.ndarray:
        if self.state != State.SAFE:
            return self.command
        tick, command = self.safe_from
        s = min((self.done - tick) * self.tick * 1e-9 / REST_TIME, 1.0)
        return command * (1 - s**3 * (10 - 15 * s + 6 * s**2))  # the least jerk from there to rest

    def _watch(self) -> None:
        """The rig's own limits, on its own reading."""
        first = 0
        for name, count in self.plant.signals:
            values = self.reading[first : first + count]
            first += count
            if not np.all(np.isfinite(values)):
                self.go_safe(Flag.NOT_FINITE)
            if name in OWN and beyond(values, self.limits.get(OWN[name][0], math.inf)):
                self.go_safe(OWN[name][1])
