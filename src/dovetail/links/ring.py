"""A window on a running loop: its records in memory that anybody may read and nobody can hold up.

The loop writes one row a tick into a `Ring` and moves on; it never waits and never looks at a reader. With a
file behind it (`test.run(url, window="loop.dvw")`) other processes read along::

    with dv.links.ring.Window("loop.dvw") as window:
        newest = window.latest(200)          # {"displacement": (200,), ...}, oldest first

The file is the ring's memory: 48 bytes of head (magic, number of rows, doubles in a row, where the rows begin,
`claimed`, `newest`: numbers of rows from 1), a line of JSON with names, shapes and the length of a tick, then
the rows. A row is being written while `claimed` is above `newest`; a reader copies, then drops the rows that were
claimed meanwhile. A ring with a row for every tick is the run's recording as well, and outlives the process.
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

    `file` None keeps them in this process. All memory is touched when this returns.
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
                    stream.write(bytes(size))  # every block is there: a full disk is met now, not in a tick
                    stream.flush()
                    self.memory = mmap.mmap(stream.fileno(), size)
            except OSError as error:
                raise LinkError(f"{file}: the window cannot be opened there ({error})") from error
        self.memory[:size:PAGE] = bytes(len(range(0, size, PAGE)))
        self.memory[HEAD.size : HEAD.size + len(about)] = about.encode()
        self.memory[: HEAD.size] = HEAD.pack(MAGIC, max(rows, 1), self.width, offset, 0, 0)
        self.values = np.frombuffer(self.memory, offset=offset).reshape(max(rows, 1), self.width)
        self._counters = np.frombuffer(self.memory, dtype=np.uint64, count=2, offset=CLAIMED)

    @property
    def handle(self) -> int:
        """Where native code finds it."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    @property
    def written(self) -> int:
        """Rows written so far, overwritten ones included."""
        return int(self._counters[1])

    def show(self, row: np.ndarray) -> None:
        """Write a row; what the native code does."""
        number = self.written + 1
        self._counters[0] = number
        self.values[(number - 1) % len(self.values)] = row
        self._counters[1] = number

    def named(self, row: np.ndarray) -> dict[str, np.ndarray]:
        """A row by signal."""
        return {name: values[0] for name, values in _columns(row[None], self.signals).items()}

    def columns(self, count: int) -> dict[str, np.ndarray]:
        """The first `count` rows by signal."""
        return _columns(self.values[:count], self.signals)


class Window:
    """Reads a ring's file while the loop writes it; opening and reading cost the loop nothing."""

    def __init__(self, file: str | Path):
        try:
            with open(file, "rb") as stream:
                self.memory = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise LinkError(f"{file}: no loop shows itself there ({error})") from error
        if len(self.memory) < HEAD.size or self.memory[:8] != MAGIC:
            raise LinkError(f"{file}: is not the window of a loop")
        _, self.rows, self.width, offset, _, _ = HEAD.unpack_from(self.memory)
        try:
            about = json.loads(self.memory[HEAD.size : self.memory.find(b"\n", HEAD.size)])
            self.dt = float(about["dt"])
            self.signals = {str(name): tuple(shape) for name, shape in about["signals"].items()}
            sizes = [size for shape in self.signals.values() for size in shape]
            right = all(type(size) is int and 0 <= size <= len(self.memory) for size in sizes)
            right = right and sum(math.prod(shape) for shape in self.signals.values()) == self.width
            right = right and 0 < self.dt < math.inf and self.rows > 0
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            right = False
        if not right or offset + 8 * self.rows * self.width > len(self.memory):
            raise LinkError(f"{file}: is the window of a loop, but damaged")
        values = np.frombuffer(self.memory, count=self.rows * self.width, offset=offset)
        self._values = values.reshape(self.rows, self.width)
        self._counters = np.frombuffer(self.memory, dtype=np.uint64, count=2, offset=CLAIMED)

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: Any) -> None:
        del self._values, self._counters  # let go of the memory; it is closed with the last view of it

    @property
    def newest(self) -> int:
        """Number of the newest row, which is that of its tick; 0 before the first."""
        return int(self._counters[1])

    def latest(self, count: int, every: int = 1) -> dict[str, np.ndarray]:
        """The newest rows, at most `count`, oldest first, by signal; and their `time` [s].

        Of many, every so manieth is enough to see, and the newest; only these are copied.
        """
        newest = self.newest
        if newest >= 2**53:
            raise LinkError("the window of the loop is damaged: it counts more rows than can be")
        first = max(newest - min(count, self.rows), 0)
        numbers = np.arange(first + (-first - 1) % every, newest, every)
        if newest > first and newest - 1 not in numbers[-1:]:
            numbers = np.append(numbers, newest - 1)
        rows = self._values[numbers % self.rows]
        lost = int(np.sum(numbers + self.rows < int(self._counters[0])))  # claimed anew while we copied
        shown = _columns(rows[lost:], self.signals)
        return {"time": (numbers[lost:] + 1) * self.dt, **shown}


def _columns(rows: np.ndarray, signals: Shapes) -> dict[str, np.ndarray]:
    found, at = {}, 0
    for name, shape in signals.items():
        size = math.prod(shape)
        found[name] = rows[:, at : at + size].reshape(len(rows), *shape)
        at += size
    return found
