"""Room for the record of a run, estimated before anything of it is allocated.

A run keeps every signal of every tick in memory, in pieces and then put together: twice its size for a moment. A
record for which there is no room would end the process inside the compiled loop, with nothing said; it is refused
here instead, with the number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.errors import Fault, TestFileError
from dovetail.core.programs import held, limits
from dovetail.core.randomness import seeded

if TYPE_CHECKING:
    from dovetail.testing.simulation import Simulation
    from dovetail.testing.test import Test

TWICE = 2  # in pieces, and put together
SURELY = 1e-3  # of the room: for one signal so small, nobody need count the others
QUICK = 1e-6  # [s] hardly any loop takes less for a tick


def left() -> float:
    """Memory [B] that this process may still take; infinite where the system does not tell."""
    return 0.95 * limits().memory - held().memory


def require_room(test: Test | Simulation, room: float | None = None) -> None:
    """Refuse a run whose record the memory cannot hold.

    Raises
    ------
    TestFileError
        With the size of the record, the room that there is, and what to do.
    """
    room = left() if room is None else room
    ticks = float(test.tick_count)
    one = TWICE * ticks * 8 * max(1, math.prod(test.shape))  # [B] of one signal
    if one < SURELY * room:
        return
    size = one if one > room else TWICE * ticks * _a_tick(test)
    if size <= room:
        return
    text = (
        f"{test.duration:g} s at {test.rate:g} Hz are {ticks:.3g} ticks: recording them takes "
        f"{'more than ' if size == one else ''}{in_words(size)} of memory where {in_words(room)} are left, and some "
        f"{_time(QUICK * ticks)} at a microsecond each; lower the rate or shorten the test (substeps make the steps "
        "between ticks finer and record no more)"
    )
    raise TestFileError(test.title or "test", [Fault("rate", text)])


def _a_tick(test: Any) -> float:
    """What is recorded of one tick [B], found without computing one."""
    from dovetail.testing import loop, simulation

    sized = seeded(test.sampled_at(test.dt, test.shape), jax.random.key(0))
    first = jnp.zeros((), int)
    if isinstance(test, simulation.Simulation):
        shapes = eqx.filter_eval_shape(
            lambda s: simulation.advance(s, simulation.start(s)[0], first, 1)[1], sized
        )
    else:
        shapes = eqx.filter_eval_shape(
            lambda t: loop.ticks(t, loop.start(t)[0], first, 1, scan=jax.lax.scan)[1], sized
        )
    return float(sum(s.size * s.dtype.itemsize for s in jax.tree.leaves(shapes)))


def in_words(size: float) -> str:
    """A size in memory [B] as people read it."""
    step = min(int(math.log(max(size, 1), 1000)), 4) if math.isfinite(size) else 4
    return f"{size / 1000**step:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[step]}"


def _time(seconds: float) -> str:
    unit = 86400 if seconds > 2 * 86400 else 3600 if seconds > 2 * 3600 else 60 if seconds > 120 else 1
    return f"{seconds / unit:.3g} {({86400: 'days', 3600: 'h', 60: 'min', 1: 's'})[unit]}"
