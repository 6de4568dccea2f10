"""Rehearse: the whole loop in simulated time against the virtual rig, sampled or in continuous time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.testing.continuous import in_continuous_time
from dovetail.testing.coupled import rigged_system
from dovetail.testing.loop import compiled_start, compiled_ticks
from dovetail.testing.outcome import Outcome
from dovetail.testing.record import Records
from dovetail.testing.room import require_room
from dovetail.testing.run import Progress, Run, as_run
from dovetail.testing.sharing import piece_length, shared
from dovetail.testing.supervisor import with_stale

if TYPE_CHECKING:
    from dovetail.testing.test import Test


def rehearse(test: Test, progress: Progress | None = None, *, keep: bool = True) -> Run:
    """Run the test against its virtual rig.

    The loop is one compiled program, called piece by piece so that progress can be told and an interrupt
    keeps what was computed; without `keep` it is passed on instead. A run that met a limit ends there. Where the test
    says `rehearsal = "continuous"` its rig is an equation like the rest, and there is no tick but to record.
    """
    require_room(test)
    prepared = with_stale(test, "rehearse").prepared()
    if test.rehearsal == "continuous":
        system = rigged_system(prepared)
        return in_continuous_time(test, prepared, system, "rehearse", None, progress, keep)
    records, first, seen, outcome = _in_pieces(prepared, progress, keep)
    attributes = {"mode": "rehearse", "title": test.title, "seed": test.seed}
    return as_run(test, prepared, attributes, records.joined(first), records, seen, outcome)


def _in_pieces(prepared: Test, progress: Progress | None, keep: bool) -> tuple[Records, Any, Any, Outcome]:
    """What was recorded, the record of t = 0, what the supervisor saw, and how it ended."""
    total = prepared.tick_count
    size, program = piece_length(total, 1000, 40), shared(prepared)
    records, outcome = Records(prepared.record_every), Outcome.FINISHED
    try:
        state, first = compiled_start(program)
        records.last, seen = jax.tree.map(np.asarray, (first, state["watch"]))
        while records.tick < total:
            state, piece = compiled_ticks(program, state, np.asarray(records.tick), size)
            seen = jax.tree.map(np.asarray, state["watch"])
            stopped = int(seen["code"]) and int(seen["tick"]) <= total
            end = int(seen["tick"]) if stopped else min(records.tick + size, total)
            records.add(piece, end - records.tick)
            if stopped:
                outcome = Outcome.from_code(seen["code"])
                break
            if progress:
                progress(records.tick / total, f"{records.tick * prepared.dt:.3g} s simulated")
    except KeyboardInterrupt:
        if not (keep and records.pieces):
            raise
        outcome = Outcome.INTERRUPTED
    return records, jax.tree.map(np.asarray, first), seen, outcome
