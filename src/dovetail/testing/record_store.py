"""Records of a run in the file of its run folder: written as they come, and read within a bounded memory.

`run_folder.begin_run` makes the store of a run. What the disk does not accept stays in memory, up to `MAX_KEPT`. Of a
recording that is larger than `MAX_LOADED`, every n-th record is read, with the largest magnitudes of all.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core.errors import OutputError, reason
from dovetail.core.recording import Recording, SampleFile
from dovetail.core.recording_file import MARGIN, UNFINISHED, RecordingFile, StoredRecording, read_recording
from dovetail.testing.recorder import Records, Row, fitting_interval, with_record_interval
from dovetail.testing.run import recording_of

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MAX_LOADED = 64 * 2**20  # [B] of a recording that is read as a whole
MAX_KEPT = 256 * 2**20  # [B] of records in memory after a failed write
SYNC_INTERVAL = 0.1  # [s]
COARSE = 10  # a divisor of the number of records is used up to this multiple of the necessary interval


class RecordStore:
    """File that takes the records of a run as they come; with `sync` a thread makes the disk store them at once."""

    def __init__(self, path: Path, test: Test, mode: str, *, sync: bool = False):
        self.path, self.test, self.sync = path, test, sync
        self.step = test.record_every * test.dt  # [s]
        self.about = {"mode": mode, "title": test.title, "seed": test.seed, UNFINISHED: 1}
        self.file: RecordingFile | None = None
        self._ended = threading.Event()
        self._syncing = threading.Thread(target=self._sync, name="dovetail-sync", daemon=True)
        self.error: OSError | None = None
        self.kept = 0  # [B] that the caller keeps in memory

    def append(self, rows: Row) -> bool:
        """Append records; return False if the disk does not accept them, so that the caller keeps them.

        Raises
        ------
        OutputError
            If the caller keeps more than `MAX_KEPT`.
        """
        size = len(next(iter(rows.values())))
        if self.error is None:
            count = self.file.header.records if self.file is not None else 0
            times = np.arange(count, count + size) * self.step
            try:
                if self.file is None:
                    first = recording_of(self.test, times, rows, self.about)
                    self.file = RecordingFile(self.path, first, MARGIN)
                    self.file.sync()
                    if self.sync:
                        self._syncing.start()
                else:
                    self.file.append({**rows, "time": times})
                return True
            except OSError as error:
                self.error = error
        self.kept += sum(values.nbytes for values in rows.values())
        if self.kept > MAX_KEPT:
            raise OutputError(f"{self.path}: cannot be written ({reason(self.error)}); free disk space")
        return False

    def _sync(self) -> None:
        while self.file is not None and not self._ended.wait(SYNC_INTERVAL):
            try:
                self.file.sync_samples()
            except OSError as error:
                self.error = error

    def recording(self, kept: Iterable[Row]) -> Recording:
        """Close the file and return the recording, with the records that the caller has kept."""
        self._ended.set()
        if self._syncing.is_alive():
            self._syncing.join()
        if self.file is not None:
            self.file.file.close()
        if self.error is None:
            return load(self.path, self.test)
        parts = list(kept)
        if self.file is not None:
            stored = read_recording(self.path)
            parts.insert(0, {name: stored[name].values for name in parts[0]})
        rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        times = np.arange(len(next(iter(rows.values())))) * self.step
        return recording_of(self.test, times, rows, self.about)


def load(path: Path, test: Test) -> Recording:
    """Return a stored recording of a test; of a large one every n-th record, with `file` and largest magnitudes."""
    with StoredRecording(path) as stored:
        if stored.size <= MAX_LOADED:
            count = stored.count
            whole = read_recording(path)
            return dataclasses.replace(whole, file=SampleFile(path, count))
        every = interval(test.record_count, stored.size / MAX_LOADED)
        records = Records(every)
        for i, block in enumerate(stored.blocks()):
            if i == 0:
                records.start({name: values[0] for name, values in block.items()})
                block = {name: values[1:] for name, values in block.items()}
            records.add(block, len(next(iter(block.values()))))
        whole = stored.recording(records.to_arrays())
        records.largest.pop("time")
        largest = _not_yet_known(records.largest, whole)
        thinned = with_record_interval(whole, largest, every * test.record_every, records.largest_vector)
        return dataclasses.replace(thinned, file=SampleFile(path, stored.count))


def interval(count: int, at_least: float) -> int:
    """Return the interval of the records that are read: if possible a divisor of their number."""
    least = math.ceil(at_least)
    fitting = fitting_interval(count, least)
    return fitting if fitting is not None and fitting <= COARSE * least else least


def _not_yet_known(largest: Mapping[str, Any], data: Recording) -> dict[str, Any]:
    """Return the magnitudes that a recording does not have as attributes, which include all ticks."""
    known = {name for name, signal in data.signals.items() if "largest" in signal.attrs}
    return {
        name: v for name, v in largest.items() if name not in known and f"largest_{name}" not in data.attrs
    }
