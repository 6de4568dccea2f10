"""Recorder: recorded ticks of a run, and extremes over all ticks.

With `record_every = 10` every tenth tick is recorded, from t = 0 on. All ticks are computed and monitored. A run is
computed in chunks, and ticks that are not recorded are discarded after each chunk, except for

- the largest magnitude of each signal over all ticks, stored as attribute `largest` of that signal, and that of the
  tracking error, stored as attribute `largest_tracking_error` of the recording; for three or six axes also the largest
  length of the first three, attribute `largest_vector`;
- the tick at which a limit was reached: the values of the `Trip` are from that tick, while the recording ends with
  the last record before it.

Response errors, spectra and delays are computed from the recorded ticks. With a `RecordStore` the records go to a file
as they come.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core.errors import Fault
from dovetail.core.recording import Recording

if TYPE_CHECKING:
    from dovetail.testing.record_store import RecordStore

VECTOR_SIZES = (3, 6)  # numbers of axes whose first three may form a vector
NICE = (1, 2, 5)  # times powers of ten: preferred round numbers
Row = dict[str, np.ndarray]


@dataclasses.dataclass
class Records:
    """Records of a run, collected chunk by chunk: in memory, or in a file."""

    every: int = 1
    store: RecordStore | None = None
    tick: int = 0  # last tick that was added
    first: Row = dataclasses.field(default_factory=dict)  # row at t = 0
    last: Row = dataclasses.field(default_factory=dict)  # row of the last tick
    largest: Row = dataclasses.field(default_factory=dict)  # magnitude of each signal over all ticks
    largest_vector: Row = dataclasses.field(default_factory=dict)  # length of the first three axes
    chunks: list[Row] = dataclasses.field(default_factory=list)  # those in memory
    is_begun: bool = False  # whether there is a record

    def start(self, shown: Mapping[str, Any]) -> None:
        """Begin with the row at t = 0, and discard what was recorded before."""
        self.first = {name: np.asarray(value) for name, value in shown.items()}
        self.tick, self.last, self.chunks, self.is_begun = 0, dict(self.first), [], False
        self.largest, self.largest_vector = {}, {}

    def add(self, chunk: Mapping[str, Any], count: int) -> None:
        """Add the first `count` ticks of a chunk."""
        chunk = {name: np.asarray(values)[:count] for name, values in chunk.items()}
        if count:
            self.last = {name: values[-1] for name, values in chunk.items()}
        if count and self.every > 1:
            for name, values in with_tracking_error(chunk).items():
                self.largest[name] = magnitude(values, self.largest.get(name))
                if values.ndim == 2 and values.shape[1] in VECTOR_SIZES:
                    length = np.linalg.norm(values[:, :3], axis=1)
                    self.largest_vector[name] = magnitude(length, self.largest_vector.get(name))
            begin = -(self.tick + 1) % self.every
            chunk = {name: values[begin :: self.every].copy() for name, values in chunk.items()}
        if not self.is_begun:
            chunk, self.is_begun = _with_first(self.first, chunk), True
        self.tick += count
        if self.store is None or not self.store.append(chunk):
            self.chunks.append(chunk)

    def replace_first(self, shown: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Replace the row at t = 0, which is known only after the run; without later rows it is the only one."""
        self.first = {
            name: np.asarray(shown.get(name, np.zeros(shape)), float) for name, shape in shapes.items()
        }
        if not self.is_begun:
            self.last = dict(self.first)
            return
        known = {name: self.first[name] for name in shapes if name in shown}
        if self.store is not None and self.store.file is not None:
            self.store.file.replace_first(known)
        else:
            for name, value in known.items():
                self.chunks[0][name][0] = value

    def to_arrays(self) -> Row:
        """Return the records in memory of each signal as one array, from t = 0 on."""
        if not self.chunks:
            return {name: value[None] for name, value in self.first.items()}
        return {name: np.concatenate([chunk[name] for chunk in self.chunks]) for name in self.chunks[0]}


def _with_first(first: Row, chunk: Row) -> Row:
    """Return the first chunk with the row at t = 0.

    A signal without a value at t = 0 (of the compensator or the feedback) takes its first value there.
    """
    rows = {}
    for name, values in chunk.items():
        start = first[name] if name in first else values[0] if len(values) else np.zeros(values.shape[1:])
        rows[name] = np.concatenate([np.asarray(start, values.dtype)[None], values])
    return rows


def with_tracking_error(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the signals with the tracking error added."""
    if not {"displacement", "measured_displacement"} <= set(row):
        return dict(row)
    return {**row, "tracking_error": row["displacement"] - row["measured_displacement"]}


def magnitude(values: np.ndarray, previous: Any = None) -> np.ndarray:
    """Return the largest finite magnitude over the first axis and over an earlier maximum."""
    size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    return np.asarray(size if previous is None else np.maximum(size, previous))


def with_record_interval(
    data: Recording, largest: Mapping[str, Any], every: int, vectors: Mapping[str, Any] | None = None
) -> Recording:
    """Return a recording of every n-th tick with the attributes `record_every` and largest magnitudes."""
    recorded, others = dict(data.signals), {}
    for name, value in largest.items():
        if name in recorded:  # includes the value at t = 0, which is not a tick
            signal = recorded[name]
            about = {**signal.attrs, "largest": magnitude(signal.values[:1], value).tolist()}
            if vectors and name in vectors:
                about["largest_vector"] = float(vectors[name])
            recorded[name] = dataclasses.replace(signal, attrs=about)
        else:
            others[f"largest_{name}"] = np.asarray(value, dtype=float).tolist()
    return dataclasses.replace(data, signals=recorded).with_attrs(record_every=every, **others)


def largest_of(data: Recording, names: Iterable[str]) -> float | None:
    """Return the largest magnitude, over all ticks, of the first of these signals that is recorded, or None."""
    for name in names:
        if name in data and data[name].size:
            return float(np.max(data[name].attrs.get("largest", np.abs(data[name].values).max())))
        if f"largest_{name}" in data.attrs:
            return float(np.max(data.attrs[f"largest_{name}"]))
    return None


def faults(ticks: int, every: int) -> list[Fault]:
    """Return a fault if the number of ticks is not a multiple of the record interval."""
    if every <= 1 or ticks % every == 0:
        return []
    near = [n for n in _divisors(ticks) if n < every][-1:] + [n for n in _divisors(ticks) if n > every][:1]
    text = f"{ticks} ticks are not a multiple of {every}; give a divisor of {ticks}, "
    return [Fault("record_every", text + f"for example {' or '.join(map(str, near))}")]


def fitting_interval(ticks: int, at_least: float) -> int | None:
    """Return a divisor of `ticks` not below `at_least`, if possible a round number; None if there is none."""
    powers = (n * 10**k for k in range(len(str(ticks))) for n in NICE)
    fitting = [n for n in powers if n >= at_least and ticks % n == 0]
    return fitting[0] if fitting else next((n for n in _divisors(ticks) if n >= at_least), None)


def _divisors(ticks: int) -> list[int]:
    """Return the divisors of a number; for a huge number those up to 100 000 and their cofactors."""
    small = [n for n in range(1, min(int(ticks**0.5), 100_000) + 1) if ticks % n == 0]
    return sorted({*small, *(ticks // n for n in small)})


def interval_remark(ticks: int, every: int, dt: float) -> str:
    """Return a remark on the recorded ticks of a test."""
    return (
        f"record_every: 1 of {every} ticks is recorded, {ticks // every} records every {every * dt:g} s "
        f"of {ticks} ticks; limits and largest values use all ticks"
    )
