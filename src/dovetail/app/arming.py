"""Two steps before a real rig moves: arm, which reads the rig without motion, and start, which is possible once.

An armed test starts unchanged, by the user who armed it, within `timeout` [s]; otherwise it must be armed again.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable

from dovetail.app.actions import Action
from dovetail.app.jobs import Job, Jobs
from dovetail.app.rig_reading import RigReading, read_rig
from dovetail.core.errors import ParameterError

TIMEOUT = 120.0  # [s] for which a reading of the rig is valid


@dataclasses.dataclass(frozen=True)
class Armed:
    """Action that is ready to start, with the reading of its rig."""

    action: Action
    text: str  # of the test
    user: str
    reading: RigReading
    end: float  # [s] of the clock


class Arming:
    """Arming of one studio server: at most one test is armed."""

    def __init__(
        self,
        jobs: Jobs,
        read: Callable[[Action], RigReading] = read_rig,
        timeout: float = TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.jobs, self.timeout = jobs, timeout
        self._read, self._clock = read, clock
        self._armed: Armed | None = None
        self._lock = threading.Lock()

    def arm(self, action: Action, user: str) -> None:
        """Read the rig of an action, and arm it.

        Raises
        ------
        DovetailError
            If the action is not possible, or its rig is in use or does not answer; the message is for the user.
        """
        self.disarm()
        if fault := action.fault() or self.jobs.rig_in_use(action.address):
            raise ParameterError(fault)
        assert action.document is not None
        text = action.document.text
        armed = Armed(action, text, user, self._read(action), self._clock() + self.timeout)
        with self._lock:
            self._armed = armed

    @property
    def armed(self) -> Armed | None:
        """Armed action; None if there is none, it is too old, or its test has changed."""
        armed = self._armed
        if armed is None or self._clock() > armed.end:
            return None
        assert armed.action.document is not None
        return armed if armed.action.document.text == armed.text else None

    def disarm(self) -> None:
        """Disarm; the rig has not moved."""
        with self._lock:
            self._armed = None

    def start(self, user: str) -> Job:
        """Start the armed action, once.

        Raises
        ------
        ParameterError
            If nothing is armed, or another user has armed it.
        """
        with self._lock:
            armed = self.armed
            if armed is None:
                raise ParameterError("no rig is armed; select Arm first")
            if armed.user != user:
                raise ParameterError(f"{armed.user} has armed this rig; select Arm to arm it yourself")
            self._armed = None
        return self.jobs.start(armed.action)
