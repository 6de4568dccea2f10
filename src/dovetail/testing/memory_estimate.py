"""Room for the record of a run, estimated before anything of it is allocated.

A run keeps every signal of every tick that it records in memory, in pieces and then put together: twice its size for a
moment. A record for which there is no room would end the process inside the compiled loop, with nothing said; it is
refused here instead, with the number, and with how many ticks could be recorded. No way of recording makes a run
quicker: one that would take days is told so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import jax
import jax.numpy as jnp

from dovetail.core.errors import Fault, TestFileError
from dovetail.core.programs import limits, memory
from dovetail.core.shapes import shapes
from dovetail.testing.recorder import WHOLE, that_fits

if TYPE_CHECKING:
    from dovetail.testing.runnable import Runnable

TWICE = 2  # in pieces, and put together
SURELY = 1e-3  # of the room: for one signal so small, nobody need count the others
QUICK = 1e-6  # [s] hardly any loop takes less for a tick
DAY = 86400.0  # [s] for which nobody waits
PIECE = 64_000  # ticks in a piece at most: see `sharing.piece_length`


def left() -> float:
    """Memory [B] that this process may still take; infinite where the system does not tell."""
    return 0.95 * limits().memory - memory()


def require_room(test: Runnable, room: float | None = None) -> None:
    """Refuse a run whose record the memory cannot hold.

    Raises
    ------
    TestFileError
        With the size of the record, the room that there is, and what to do.
    """
    room = left() if room is None else room
    ticks, every = float(test.tick_count), test.record_every
    one = TWICE * ticks / every * 8 * max(1, math.prod(test.shape))  # [B] of one signal
    if one < SURELY * room:
        return
    hopeless = QUICK * ticks > DAY
    row = {} if one > room and hopeless else _row(test)
    size = needed(test, every, row) if row else one
    if size <= room:
        return
    some = f"every {every}th of them" if every > 1 else "them"
    text = (
        f"{test.duration:g} s at {test.rate:g} Hz are {ticks:.3g} ticks: recording {some} takes "
        f"{'more than ' if size == one else ''}{in_words(size)} of memory where {in_words(room)} are left, and "
        f"computing them some {_time(QUICK * ticks)} at a microsecond each; "
    )
    raise TestFileError(test.title or "test", [Fault("rate", text + _offer(test, room, row))])


def needed(test: Runnable, every: int, row: dict[str, Any]) -> float:
    """What a run takes that records every so manieth tick [B]; the piece from which they are taken is there too."""
    ticks, each = test.tick_count, _size(row)
    return TWICE * ticks / every * each + (PIECE * each + 8 * ticks * (WHOLE in row) if every > 1 else 0)


def _offer(test: Runnable, room: float, row: dict[str, Any]) -> str:
    """What to do about a record that is too large; without a row, for which nobody would wait."""
    finer = "substeps make the steps between ticks finer and record no more"
    if not row:
        return (
            f"recording fewer of them would not make it quicker: lower the rate or shorten the test ({finer})"
        )
    each = _size(row)
    kept = needed(test, 2, row) - TWICE * test.tick_count / 2 * each  # whatever is recorded
    least = TWICE * test.tick_count * each / max(room - kept, 1.0)
    fits = that_fits(test.tick_count, least) if room > kept else None
    if fits is None:
        return f"lower the rate or shorten the test ({finer})"
    others = f"or lower the rate or shorten the test ({finer})"
    return f"record_every = {fits} records every {fits}th tick and fits; {others}"


def _size(row: dict[str, Any]) -> float:
    """What is recorded of one tick [B]."""
    return float(sum(s.size * s.dtype.itemsize for s in jax.tree.leaves(row)))


def _row(test: Runnable) -> dict[str, Any]:
    """Shapes of what is recorded of one tick, found without computing one."""
    return cast(dict[str, Any], shapes(_recorded, test.sized()))


def _recorded(test: Runnable) -> dict[str, Any]:
    return test.advance(test.start()[0], jnp.zeros((), int), 1)[1]


def in_words(size: float) -> str:
    """A size in memory [B] as people read it."""
    step = min(int(math.log(max(size, 1), 1000)), 4) if math.isfinite(size) else 4
    return f"{size / 1000**step:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[step]}"


def _time(seconds: float) -> str:
    unit = 86400 if seconds > 2 * DAY else 3600 if seconds > 2 * 3600 else 60 if seconds > 120 else 1
    return f"{seconds / unit:.3g} {({86400: 'days', 3600: 'h', 60: 'min', 1: 's'})[unit]}"
