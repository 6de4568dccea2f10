"""Ring buffer with the records of a running loop, which other processes read without delaying the loop.

The loop writes one row per tick to a `Ring` and never waits for a reader. With a file
(`test.run_realtime(url, window="loop.dvw")`) other processes can read during the run::

    with dv.links.ring.RingReader("loop.dvw") as window:
        newest = window.latest(200)          # {"displacement": (200,), ...}, oldest first

The file is the memory of the ring: a header of 48 bytes (magic, number of rows, values per row, offset of the rows,
`claimed`, `newest`: numbers of rows from 1), a line of JSON with names, shapes and the duration of a tick, and the
rows. A row is being written while `claimed` is above `newest`. A reader copies rows and drops those that were claimed
during the copy. The recording of a run is taken from its ring by `ring_recorder`.
"""

from __future__ import annotations

import ctypes
import json
import math
import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import LinkError

MAGIC = b"DVTLWIN1"
HEAD = struct.Struct("<8sQQQQQ")
CLAIMED, NEWEST = 32, 40  # [bytes] from the start
PAGE = 4096

Shapes = Mapping[str, tuple[int, ...]]


class Ring:
    """Rows of named signals, written by one loop.

    Without `file` the memory is private to this process. All memory pages are allocated at construction.
    """

    def __init__(self, signals: Shapes, rows: int, dt: float, file: str | Path | None = None):
        self.signals, self.rows = dict(signals), rows
        self.width = sum(math.prod(shape) for shape in self.signals.values())
        about = json.dumps({"dt": dt, "signals": {name: list(s) for name, s in self.signals.items()}}) + "\n"
        offset = -(-(HEAD.size + len(about)) // PAGE) * PAGE
        size = offset + 8 * self.width * max(rows, 1)
        if file is None:
            self.memory = mmap.mmap(-1, size)
        else:
            try:
                with open(file, "w+b") as stream:
                    stream.write(
                        bytes(size)
                    )  # allocates all blocks: a full disk is detected here and not during a tick
                    stream.flush()
                    self.memory = mmap.mmap(stream.fileno(), size)
            except OSError as error:
                raise LinkError(f"{file}: the window cannot be created ({error})") from error
        self.memory[:size:PAGE] = bytes(len(range(0, size, PAGE)))
        self.memory[HEAD.size : HEAD.size + len(about)] = about.encode()
        self.memory[: HEAD.size] = HEAD.pack(MAGIC, max(rows, 1), self.width, offset, 0, 0)
        self.values = np.frombuffer(self.memory, offset=offset).reshape(max(rows, 1), self.width)
        self._counters = np.frombuffer(self.memory, dtype=np.uint64, count=2, offset=CLAIMED)

    @property
    def handle(self) -> int:
        """Address for native code."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    @property
    def row_count(self) -> int:
        """Number of rows written, including overwritten ones."""
        return int(self._counters[1])

    def show(self, row: np.ndarray) -> None:
        """Write a row, as the native code does."""
        number = self.row_count + 1
        self._counters[0] = number
        self.values[(number - 1) % len(self.values)] = row
        self._counters[1] = number

    def rows_from(self, first: int, count: int) -> tuple[np.ndarray, int]:
        """Return `count` rows from number `first` (from 0) on; rows that were overwritten are NaN, and counted."""
        numbers = np.arange(first, first + count)
        rows = self.values[numbers % len(self.values)]
        lost = int(np.sum(numbers + len(self.values) < int(self._counters[0])))
        rows[:lost] = np.nan
        return rows, lost

    def row_by_signal(self, row: np.ndarray) -> dict[str, np.ndarray]:
        """Return a row by signal."""
        return {name: values[0] for name, values in self.by_signal(row[None]).items()}

    def by_signal(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return rows by signal."""
        return _columns(rows, self.signals)

    def columns(self, count: int) -> dict[str, np.ndarray]:
        """Return the first `count` rows by signal, of a ring that has all."""
        return self.by_signal(self.values[:count])


class RingReader:
    """Reader of the file of a ring during the run; it does not delay the loop."""

    def __init__(self, file: str | Path):
        try:
            with open(file, "rb") as stream:
                self.memory = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise LinkError(f"{file}: cannot be read as the window of a loop ({error})") from error
        if len(self.memory) < HEAD.size or self.memory[:8] != MAGIC:
            raise LinkError(f"{file}: is not the window of a loop")
        _, self.rows, self.width, offset, _, _ = HEAD.unpack_from(self.memory)
        try:
            about = json.loads(self.memory[HEAD.size : self.memory.find(b"\n", HEAD.size)])
            self.dt = float(about["dt"])
            self.signals = {str(name): tuple(shape) for name, shape in about["signals"].items()}
            sizes = [size for shape in self.signals.values() for size in shape]
            valid = all(type(size) is int and 0 <= size <= len(self.memory) for size in sizes)
            valid = valid and sum(math.prod(shape) for shape in self.signals.values()) == self.width
            valid = valid and 0 < self.dt < math.inf and self.rows > 0
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            valid = False
        if not valid or offset + 8 * self.rows * self.width > len(self.memory):
            raise LinkError(f"{file}: is a damaged window of a loop")
        values = np.frombuffer(self.memory, count=self.rows * self.width, offset=offset)
        self._values = values.reshape(self.rows, self.width)
        self._counters = np.frombuffer(self.memory, dtype=np.uint64, count=2, offset=CLAIMED)

    def __enter__(self) -> RingReader:
        return self

    def __exit__(self, *_: Any) -> None:
        del self._values, self._counters  # the memory is closed with its last view

    @property
    def newest(self) -> int:
        """Number of the newest row (its tick number); 0 before the first."""
        return int(self._counters[1])

    def latest(self, count: int, every: int = 1) -> dict[str, np.ndarray]:
        """Return at most `count` of the newest rows by signal, oldest first, with their `time` [s].

        Only every `every`-th row, and the newest one, are copied.
        """
        newest = self.newest
        if newest >= 2**53:
            raise LinkError("the window of the loop is damaged: its row number is too large")
        first = max(newest - min(count, self.rows), 0)
        numbers = np.arange(first + (-first - 1) % every, newest, every)
        if newest > first and newest - 1 not in numbers[-1:]:
            numbers = np.append(numbers, newest - 1)
        rows = self._values[numbers % self.rows]
        lost = int(np.sum(numbers + self.rows < int(self._counters[0])))  # overwritten during the copy
        return {"time": (numbers[lost:] + 1) * self.dt, **_columns(rows[lost:], self.signals)}


def _columns(rows: np.ndarray, signals: Shapes) -> dict[str, np.ndarray]:
    columns, start = {}, 0
    for name, shape in signals.items():
        size = math.prod(shape)
        columns[name] = rows[:, start : start + size].reshape(len(rows), *shape)
        start += size
    return columns
