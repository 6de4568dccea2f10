"""Records of a real-time run, taken from the ring of its loop by a thread beside it.

The loop writes to the ring and never waits; only this thread waits for the disk. If the disk does not accept records
until the ring is full, the overwritten samples are recorded as NaN and counted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from dovetail.core.errors import DovetailError
from dovetail.links.ring import Ring
from dovetail.testing.recorder import Records

INTERVAL = 0.05  # [s] between two appends
PIECE = 2 * 2**20  # [B] that are appended at once
RING_SIZE = 64 * 2**20  # [B] of a ring whose rows go to a file


def ring_rows(count: int, width: int, is_stored: bool) -> int:
    """Return the rows of the ring for a run of `count` records: all, or as many as are needed until they are stored."""
    return min(count, max(RING_SIZE // (8 * max(width, 1)), 1)) if is_stored else count


class RingRecorder:
    """Context in which the rows of a ring become the records of a run.

    Records in memory are taken at the end. `stop` is called with a text if no record can be kept any more.
    """

    def __init__(self, ring: Ring, records: Records, stop: Callable[[str], None]):
        self.ring, self.records, self.stop = ring, records, stop
        self.lost = 0  # rows that were overwritten before they were taken
        self.error: DovetailError | None = None
        self._taken = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="dovetail-records", daemon=True)

    def __enter__(self) -> RingRecorder:
        if self.records.store is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        if self.records.store is not None:
            self._thread.join()
        self._take()

    def _work(self) -> None:
        while not self._ended.wait(INTERVAL):
            self._take()

    def _take(self) -> None:
        newest = self.ring.row_count
        while self._taken < newest and self.error is None:
            count = min(newest - self._taken, max(PIECE // (8 * max(self.ring.width, 1)), 1))
            rows, lost = self.ring.rows_from(self._taken, count)
            self.lost, self._taken = self.lost + lost, self._taken + count
            try:
                self.records.add(self.ring.by_signal(rows), count)
            except DovetailError as error:
                self.error = error
                self.stop(str(error))

    def remark(self) -> str:
        """Return a remark on missing samples; may be empty."""
        if self.error is not None:
            return f"the recording ends before the run: {self.error}"
        if self.lost:
            return f"{self.lost} samples were not recorded (NaN): the disk was too slow"
        return ""
