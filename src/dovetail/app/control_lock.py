"""Control lock of a studio: several users can view a test, one user can edit and run it.

Each page reports every few seconds that it is open. A user who has not reported for longer than `timeout` [s] is
removed and loses control; the next user who asks gets it. Otherwise control changes only when a user explicitly takes
it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PRESENCE_TIMEOUT = 15.0  # [s] after which a user without report is removed


class ControlLock:
    """Control lock of one studio server."""

    def __init__(self, timeout: float = PRESENCE_TIMEOUT, clock: Callable[[], float] = time.monotonic):
        self.timeout, self._clock = timeout, clock
        self._seen: dict[str, float] = {}
        self._holder: str | None = None
        self._lock = threading.Lock()

    def join(self, user: str) -> None:
        """Report that a user is present; the first user gets control."""
        with self._lock:
            self._seen[user] = self._clock()
            self._forget()
            if self._holder is None:
                self._holder = user

    def leave(self, user: str) -> None:
        """Remove a user whose page is closed."""
        with self._lock:
            self._seen.pop(user, None)
            self._forget()

    def take(self, user: str, over: bool = False) -> str:
        """Take control if it is free, or from another user if `over`; return a message if another user has control."""
        with self._lock:
            self._seen[user] = self._clock()
            self._forget()
            if self._holder not in (None, user) and not over:
                return f"{self._holder} has control; select Take control to take it"
            self._holder = user
            return ""

    def release(self, user: str) -> None:
        """Release control, if this user has it."""
        with self._lock:
            if self._holder == user:
                self._holder = None

    def holds(self, user: str) -> bool:
        """Return whether a user has control."""
        return self.holder == user

    @property
    def holder(self) -> str | None:
        """User who has control; None if no one has it."""
        with self._lock:
            self._forget()
            return self._holder

    def viewers(self) -> list[str]:
        """Return all users who are present, the user with control first."""
        with self._lock:
            self._forget()
            return sorted(self._seen, key=lambda user: (user != self._holder, user))

    def status_text(self, user: str) -> str:
        """Return the status text for the page of a user."""
        holder, others = self.holder, len([other for other in self.viewers() if other != user])
        viewers_text = f" ({others} viewer{'s' if others > 1 else ''})" if others else ""
        if holder == user:
            return f"You have control{viewers_text}"
        return "No one has control" if holder is None else f"{holder} has control (view only)"

    def _forget(self) -> None:
        """Remove users who are no longer present."""
        now = self._clock()
        self._seen = {user: seen for user, seen in self._seen.items() if now - seen <= self.timeout}
        if self._holder not in self._seen:
            self._holder = None
