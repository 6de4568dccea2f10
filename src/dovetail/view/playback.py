"""Playback clock of a recording: play, pause, any speed, any time."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass
class Playback:
    """Playback clock; time passes only by calls of `advance`."""

    first: float  # [s] first time of the recording
    last: float
    speed: float = 1.0  # recorded seconds per second
    playing: bool = False
    position: float = field(default=float("nan"))  # [s]
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.position = self.first

    def play(self) -> None:
        """Play; from the start if the end was reached."""
        with self._lock:
            if self.position >= self.last:
                self.position = self.first
            self.playing = True

    def pause(self) -> None:
        """Pause."""
        with self._lock:
            self.playing = False

    def seek(self, t: float) -> None:
        """Go to a time [s], limited to the recording."""
        with self._lock:
            self.position = min(max(float(t), self.first), self.last)

    def advance(self, elapsed: float) -> float:
        """Advance by `elapsed` [s] of wall-clock time; return the new position [s]."""
        with self._lock:
            if self.playing:
                self.position = min(self.position + self.speed * elapsed, self.last)
                self.playing = self.position < self.last
            return self.position
