"""The clock of a recording that is played: run, hold, any speed, any moment."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass
class Player:
    """Where a playback stands. Time passes only when `advance` is told how much of it did."""

    first: float  # [s] of the recording
    last: float
    speed: float = 1.0  # seconds of the recording in a second
    playing: bool = False
    position: float = field(default=float("nan"))  # [s]
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.position = self.first

    def play(self) -> None:
        """Go on; from the start where the end was reached."""
        with self._lock:
            if self.position >= self.last:
                self.position = self.first
            self.playing = True

    def hold(self) -> None:
        """Stand still."""
        with self._lock:
            self.playing = False

    def seek(self, t: float) -> None:
        """Go to a moment [s]; before the start is the start, behind the end the end."""
        with self._lock:
            self.position = min(max(float(t), self.first), self.last)

    def advance(self, passed: float) -> float:
        """Let `passed` [s] of real time go by; where the playback stands then [s]."""
        with self._lock:
            if self.playing:
                self.position = min(self.position + self.speed * passed, self.last)
                self.playing = self.position < self.last
            return self.position
