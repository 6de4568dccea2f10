"""Who holds the controls: several may look at a test, one changes it and does things with it.

Whoever looks says every few seconds that they are still there. Who has said nothing for longer than the `patience` has
gone, and with them their hold; the next who asks has it. Nobody loses it otherwise but to somebody who takes it over
and says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE = 15.0  # [s] after which somebody who says nothing has gone


class Holding:
    """The controls of one studio."""

    def __init__(self, patience: float = PATIENCE, clock: Callable[[], float] = time.monotonic):
        self.patience, self._clock = patience, clock
        self._seen: dict[str, float] = {}
        self._holder: str | None = None
        self._lock = threading.Lock()

    def here(self, who: str) -> None:
        """Somebody is there; the first to be has the controls."""
        with self._lock:
            self._seen[who] = self._clock()
            self._forget()
            if self._holder is None:
                self._holder = who

    def gone(self, who: str) -> None:
        """Somebody has closed their page."""
        with self._lock:
            self._seen.pop(who, None)
            self._forget()

    def take(self, who: str, over: bool = False) -> str:
        """Have the controls, if nobody holds them or they are taken `over`; else who holds them, in words."""
        with self._lock:
            self._seen[who] = self._clock()
            self._forget()
            if self._holder not in (None, who) and not over:
                return f"{self._holder} holds the controls; ask for them, or take them over"
            self._holder = who
            return ""

    def release(self, who: str) -> None:
        """Give the controls back; nothing happens if somebody else has them."""
        with self._lock:
            if self._holder == who:
                self._holder = None

    def holds(self, who: str) -> bool:
        """Whether somebody holds the controls."""
        return self.holder == who

    @property
    def holder(self) -> str | None:
        """Who holds the controls; None if nobody does."""
        with self._lock:
            self._forget()
            return self._holder

    def lookers(self) -> list[str]:
        """Everybody who is there, the holder first."""
        with self._lock:
            self._forget()
            return sorted(self._seen, key=lambda who: (who != self._holder, who))

    def words(self, who: str) -> str:
        """What a page says of it to somebody."""
        holder, others = self.holder, len([one for one in self.lookers() if one != who])
        looking = f"; {others} other{'s look' if others > 1 else ' looks'} on" if others else ""
        if holder == who:
            return f"you hold the controls{looking}"
        return "nobody holds the controls" if holder is None else f"{holder} holds the controls; you look on"

    def _forget(self) -> None:
        """Whoever has gone, and their hold."""
        now = self._clock()
        self._seen = {who: seen for who, seen in self._seen.items() if now - seen <= self.patience}
        if self._holder not in self._seen:
            self._holder = None
