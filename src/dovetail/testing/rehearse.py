"""In simulated time: the whole loop against the virtual rig, sampled or continuous; or a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.core.executable_store import ready
from dovetail.testing.continuous import in_continuous_time
from dovetail.testing.limit_monitor import with_stale
from dovetail.testing.memory_estimate import require_room
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records, in_pieces
from dovetail.testing.run import Progress, Run, as_run
from dovetail.testing.shared_programs import piece_length, shared

if TYPE_CHECKING:
    from dovetail.testing.runnable import Runnable


def rehearse(test: Runnable, progress: Progress | None = None, *, keep: bool = True) -> Run:
    """Run a test against its virtual rig, a simulation by itself.

    Where a test says `rehearsal = "continuous"` its rig is an equation like the rest, and there is no tick but to
    record. An interrupt keeps what was computed; without `keep` it is passed on instead.
    """
    require_room(test)
    prepared = with_stale(test.prepared(), test.USUAL)
    system = prepared.equations()
    if system is None:
        return recorded(test, prepared, test.USUAL, progress, keep)
    return in_continuous_time(test, prepared, system, "rehearse", None, progress, keep)


def recorded(
    test: Runnable, prepared: Runnable, mode: str, progress: Progress | None = None, keep: bool = True
) -> Run:
    """A run of a test, from what was prepared of it for a mode.

    It is one compiled program, called piece by piece so that progress can be told and an interrupt is soon heeded. A
    run that met a limit ends there.
    """
    records, first, seen, outcome = in_pieces_of(prepared, progress, keep)
    attributes = {"mode": mode, "title": test.title, "seed": test.seed}
    return as_run(test, prepared, attributes, records.joined(first), records, seen, outcome)


_start = ready(lambda test: test.start())
_advance = ready(lambda test, state, first, number: test.advance(state, first, number, ahead=True))


def in_pieces_of(
    prepared: Runnable, progress: Progress | None, keep: bool
) -> tuple[Records, Any, Any, Outcome]:
    """What was recorded, the record of t = 0, what the supervisor saw, and how it ended."""
    total = prepared.tick_count
    size, program = piece_length(total, *prepared.PIECES), shared(prepared)
    records = Records(prepared.record_every)
    state, first = _start(program)
    records.last = jax.tree.map(np.asarray, first)

    def advance(tick):
        nonlocal prepared, program, state
        if tick and (now := prepared.adapted(state)) is not None:
            prepared, state = now
            program = shared(prepared)
        state, piece = _advance(program, state, tick, size)
        return piece, state["watch"]

    def told(tick):
        if progress:
            progress(tick / total, f"{tick * prepared.dt:.3g} s simulated")

    seen, outcome = in_pieces(records, total, size, advance, told, keep)
    return records, jax.tree.map(np.asarray, first), seen, outcome
