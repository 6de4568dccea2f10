"""Memory estimate of a run, made before the run allocates memory.

A run stores every recorded signal in memory, first in chunks and then as one array, so it briefly needs twice the
size. Without this check the operating system could end the process inside the compiled loop without a message. The
error states the required memory and a record interval that fits. Recording fewer ticks does not make a run faster;
the message says so for a run that would take days.
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import jax

from dovetail.core.advance import row_shapes
from dovetail.core.errors import Fault, TestFileError
from dovetail.core.programs import process_memory, resource_limits
from dovetail.core.shapes import shapes
from dovetail.testing.recorder import fitting_interval
from dovetail.testing.tick_grid import DAY, MIN_TICK_TIME

if TYPE_CHECKING:
    from dovetail.testing.modes import Mode
    from dovetail.testing.test import Test

COPIES = 2  # chunks and joined arrays
NEGLIGIBLE = 1e-3  # fraction of the available memory: below it for one signal, the others need no estimate
MAX_DOUBLINGS = 64  # largest factor on the shortest chunk; an interrupt takes effect at the end of a chunk
MAX_CHUNK = 1000 * MAX_DOUBLINGS  # largest number of ticks in a chunk


def available_memory() -> float:
    """Return the memory [B] available to this process; infinite if unknown."""
    return 0.95 * resource_limits().memory - process_memory()


def require_memory(test: Test, mode: Mode, available: float | None = None) -> None:
    """Raise an error if the recording of a run does not fit in memory.

    Raises
    ------
    TestFileError
        With required memory, available memory, and what to change.
    """
    _require(test, mode, available_memory() if available is None else available, "of memory")


def require_space(test: Test, mode: Mode, folder: Path) -> None:
    """Raise an error if the recording of a run does not fit on the disk of its folder.

    Raises
    ------
    TestFileError
        With required and available space, and what to change.
    """
    parent = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    _require(test, mode, shutil.disk_usage(parent).free, f"on the disk of {folder}", 1)


def _require(test: Test, mode: Mode, available: float, where: str, copies: int = COPIES) -> None:
    ticks, every = float(test.tick_count), test.record_every
    one = copies * ticks / every * 8 * max(1, math.prod(test.shape))  # [B] of one signal
    if one < NEGLIGIBLE * available:
        return
    hopeless = MIN_TICK_TIME * ticks > DAY
    row = {} if one > available and hopeless else _row(test, mode)
    size = required_memory(test, every, row, copies) if row else one
    if size <= available:
        return
    some = f"every {every}th of them" if every > 1 else "them"
    text = (
        f"{test.duration:g} s at {test.rate:g} Hz are {ticks:.3g} ticks: recording {some} needs "
        f"{'more than ' if size == one else ''}{format_size(size)} {where}, "
        f"{format_size(available)} are available; "
        f"computing takes about {_time(MIN_TICK_TIME * ticks)} at 1 us per tick; "
    )
    raise TestFileError(test.title or "test", [Fault("rate", text + _advice(test, available, row, copies))])


def required_memory(test: Test, every: int, row: dict[str, Any], copies: int = COPIES) -> float:
    """Return the memory [B] of a run that records every n-th tick, including one chunk of all ticks."""
    ticks, each = test.tick_count, _size(row)
    return copies * ticks / every * each + (MAX_CHUNK * each if every > 1 else 0)


def _advice(test: Test, available: float, row: dict[str, Any], copies: int) -> str:
    """Return what to change for a recording that is too large; an empty row means a run that takes days."""
    finer = "substeps refine the integration without more records"
    if not row:
        return f"recording fewer ticks does not make the run faster: lower the rate or shorten the test ({finer})"
    each = _size(row)
    fixed = (
        required_memory(test, 2, row, copies) - copies * test.tick_count / 2 * each
    )  # independent of the record interval
    least = copies * test.tick_count * each / max(available - fixed, 1.0)
    fits = fitting_interval(test.tick_count, least) if available > fixed else None
    if fits is None:
        return f"lower the rate or shorten the test ({finer})"
    others = f"or lower the rate or shorten the test ({finer})"
    return f"record_every = {fits} records every {fits}th tick and fits; {others}"


def _size(row: dict[str, Any]) -> float:
    """Return the size of the record of one tick [B]."""
    return float(sum(s.size * s.dtype.itemsize for s in jax.tree.leaves(row)))


def _row(test: Test, mode: Mode) -> dict[str, Any]:
    """Return the shapes of the record of one tick, without computing a tick."""
    sized = test.with_shapes()
    return cast(dict[str, Any], shapes(row_shapes, mode.system(sized), mode.monitor(sized)))


def format_size(size: float) -> str:
    """Format a memory size [B]."""
    step = min(int(math.log(max(size, 1), 1000)), 4) if math.isfinite(size) else 4
    return f"{size / 1000**step:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[step]}"


def _time(seconds: float) -> str:
    unit = 86400 if seconds > 2 * DAY else 3600 if seconds > 2 * 3600 else 60 if seconds > 120 else 1
    return f"{seconds / unit:.3g} {({86400: 'days', 3600: 'h', 60: 'min', 1: 's'})[unit]}"


def chunk_length(total: int, shortest: int, max_count: int) -> int:
    """Return the samples per chunk: `shortest`, doubled while there are more than `max_count` chunks, at most `total`.

    The length depends on the run only, so that a repeated run is equal to the bit.
    """
    length = shortest
    while length * max_count < total and length < MAX_DOUBLINGS * shortest:
        length *= 2
    return min(total, length)
