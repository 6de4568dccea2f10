"""Which ticks of a run are recorded, and what is kept of the others.

A test says `record_every = 10` where the record of every tick would be too large. Then every tenth tick is recorded,
from t = 0 on. All ticks are computed, and the supervisor watches all of them. A run comes in pieces, and what is not
recorded of a piece is let go before the next; of it are kept

- the largest magnitude that each signal had over all ticks, as `largest` of that signal, and that of the tracking
  error, as `largest_tracking_error` of the recording: no peak is lost where extremes are said;
- the tick at which a limit was met: the numbers of the `Trip` are of that very tick, though the recording ends
  with the last whole record before it.

Errors against the ideal, spectra and delays are of what was recorded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.core.errors import Fault
from dovetail.testing.outcome import Outcome

if TYPE_CHECKING:
    import xarray as xr

NICE = (1, 2, 5)  # times powers of ten: numbers that people take
WHOLE = "contact_time"  # of every tick whatever is recorded: by it contacts are judged, however short
Row = dict[str, np.ndarray]


@dataclasses.dataclass
class Records:
    """What is kept of a run, piece by piece."""

    every: int = 1
    tick: int = 0  # that was added last; -1 before t = 0
    last: Row = dataclasses.field(default_factory=dict)  # row of that tick
    largest: Row = dataclasses.field(default_factory=dict)  # magnitude of each signal over all ticks
    pieces: list[Row] = dataclasses.field(default_factory=list)
    whole: list[np.ndarray] = dataclasses.field(default_factory=list)

    def add(self, piece: Mapping[str, Any], count: int) -> None:
        """The first `count` ticks of a piece, each signal over them."""
        piece = {name: np.asarray(values)[:count] for name, values in piece.items()}
        if count:
            self.last = {name: values[-1] for name, values in piece.items()}
        if count and self.every > 1:
            if WHOLE in piece:
                self.whole.append(piece[WHOLE])
            for name, values in also(piece).items():
                self.largest[name] = magnitude(values, self.largest.get(name))
            begin = -(self.tick + 1) % self.every
            piece = {name: values[begin :: self.every].copy() for name, values in piece.items()}
        self.tick += count
        self.pieces.append(piece)

    def joined(self, first: Mapping[str, Any] | None = None) -> Row:
        """All records in one array each; the state at t = 0 in front, where it was not added.

        Signals that only exist once the compensator or the feedback has acted take their first value there.
        """
        made = {}
        for name, values in self.pieces[0].items():
            begin = 0 if first is None else 1
            length = begin + sum(len(piece[name]) for piece in self.pieces)
            made[name] = np.empty((length, *values.shape[1:]), dtype=values.dtype)
            if first is not None:
                made[name][0] = first[name] if name in first else values[0] if len(values) else 0.0
            done = begin
            for piece in self.pieces:
                made[name][done : done + len(piece[name])] = piece[name]
                done += len(piece[name])
        return made

    def every_tick(self, name: str) -> np.ndarray | None:
        """A signal at all ticks, where it is kept so or all are recorded; None where there is none of that name."""
        parts = self.whole if self.every > 1 else [piece[name] for piece in self.pieces if name in piece]
        return np.concatenate(parts) if parts else None


def in_pieces(
    records: Records,
    total: int,
    size: int,
    advance: Callable[[np.ndarray], tuple[Mapping[str, Any], Any]],
    told: Callable[[int], None],
    keep: bool,
) -> tuple[Any, Outcome]:
    """Have a run computed piece by piece until tick `total` or a limit; what the supervisor saw, and how it ended.

    `advance(tick)` gives the `size` ticks after one, and what the supervisor has seen by then; `told(tick)` passes on
    how far it is. With `keep` an interrupt ends the run with what was computed, where there is something.
    """
    seen: Any = {}
    try:
        while records.tick < total:
            piece, seen = advance(np.asarray(records.tick))
            seen = jax.tree.map(np.asarray, seen)
            stopped = int(seen["code"]) and int(seen["tick"]) <= total
            records.add(
                piece, (int(seen["tick"]) if stopped else min(records.tick + size, total)) - records.tick
            )
            if stopped:
                return seen, Outcome.from_code(seen["code"])
            told(records.tick)
    except KeyboardInterrupt:
        if not (keep and records.pieces):
            raise
        return seen, Outcome.INTERRUPTED
    return seen, Outcome.FINISHED


def also(row: Mapping[str, Any]) -> dict[str, Any]:
    """Signals, and how far the rig strayed from the demand."""
    if not {"displacement", "measured_displacement"} <= set(row):
        return dict(row)
    return {**row, "tracking_error": row["displacement"] - row["measured_displacement"]}


def magnitude(values: np.ndarray, before: Any = None) -> np.ndarray:
    """Largest finite magnitude over the first axis, and of what there was before."""
    size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    return size if before is None else np.maximum(size, before)


def thinned(data: xr.Dataset, largest: Mapping[str, Any], every: int) -> xr.Dataset:
    """A recording of every so manieth tick, which says so, with the largest magnitudes over all of them."""
    data = data.assign_attrs(record_every=every)
    for name, value in largest.items():
        if name in data:  # its value at t = 0 is recorded, and is of no tick
            data[name].attrs["largest"] = magnitude(data[name].values[:1], value).tolist()
        else:
            data.attrs[f"largest_{name}"] = np.asarray(value, dtype=float).tolist()
    return data


def largest_of(data: xr.Dataset, names: Iterable[str]) -> float | None:
    """Largest magnitude, over all ticks, of the first of these signals that a recording knows; None if of none."""
    for name in names:
        if name in data and data[name].size:
            return float(np.max(data[name].attrs.get("largest", np.abs(data[name].values).max())))
        if f"largest_{name}" in data.attrs:
            return float(np.max(data.attrs[f"largest_{name}"]))
    return None


def faults(ticks: int, every: int) -> list[Fault]:
    """Records between which there are not as many ticks each time."""
    if every <= 1 or ticks % every == 0:
        return []
    near = [n for n in _divisors(ticks) if n < every][-1:] + [n for n in _divisors(ticks) if n > every][:1]
    text = f"{ticks} ticks are no whole number of records of {every} ticks each; give a number that divides them, "
    return [Fault("record_every", text + f"for example {' or '.join(map(str, near))}")]


def that_fits(ticks: int, at_least: float) -> int | None:
    """Ticks from record to record, so many at least, that divide a test: a round number if there is; None if none."""
    powers = (n * 10**k for k in range(len(str(ticks))) for n in NICE)
    fitting = [n for n in powers if n >= at_least and ticks % n == 0]
    return fitting[0] if fitting else next((n for n in _divisors(ticks) if n >= at_least), None)


def _divisors(ticks: int) -> list[int]:
    """Divisors of a number; of a huge one those up to a hundred thousand, and what goes with them."""
    small = [n for n in range(1, min(int(ticks**0.5), 100_000) + 1) if ticks % n == 0]
    return sorted({*small, *(ticks // n for n in small)})


def in_words(ticks: int, every: int, dt: float) -> str:
    """What a test records, for those who check it."""
    return (
        f"record_every: of {ticks} ticks every {every}th is recorded, {ticks // every} records {every * dt:g} s apart; "
        "limits are watched in all ticks, and largest values are of all"
    )
