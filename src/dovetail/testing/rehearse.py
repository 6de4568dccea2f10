"""Rehearse: the whole loop in simulated time against the virtual rig, sampled or in continuous time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.testing.continuous import in_continuous_time
from dovetail.testing.coupled import rigged_system
from dovetail.testing.loop import compiled_start, compiled_ticks
from dovetail.testing.outcome import Outcome
from dovetail.testing.room import require_room
from dovetail.testing.run import Progress, Run, dataset, ended, find_trip
from dovetail.testing.sharing import piece_length, shared
from dovetail.testing.supervisor import with_stale

if TYPE_CHECKING:
    from dovetail.testing.test import Test


def rehearse(test: Test, progress: Progress | None = None) -> Run:
    """Run the test against its virtual rig.

    The loop is one compiled program, called piece by piece so that progress can be told and an interrupt
    keeps what was computed. A run that met a limit ends there. Where the test says `rehearsal = "continuous"` its
    rig is an equation like the rest, and there is no tick but to record.
    """
    require_room(test)
    prepared = with_stale(test, "rehearse").prepared()
    if test.rehearsal == "continuous":
        return in_continuous_time(test, prepared, rigged_system(prepared), "rehearse", None)
    records, outcome = _in_pieces(prepared, progress)
    times = np.arange(len(records["displacement"])) * test.dt
    data = dataset(test, times, records, {"mode": "rehearse", "title": test.title, "seed": test.seed})
    data, outcome = ended(test, data, outcome)
    return Run(test, "rehearse", data, outcome, find_trip(prepared, data, outcome))


def _in_pieces(prepared: Test, progress: Progress | None) -> tuple[dict[str, np.ndarray], Outcome]:
    total = prepared.tick_count
    size, program = piece_length(total, 1000, 40), shared(prepared)
    pieces: list[dict[str, np.ndarray]] = []
    outcome = Outcome.FINISHED
    kept = 0
    try:
        state, first = compiled_start(program)
        while kept < total:
            state, piece = compiled_ticks(program, state, np.asarray(kept), size)
            pieces.append(jax.tree.map(np.asarray, piece))
            kept += size
            code, tick = int(state["watch"]["code"]), int(state["watch"]["tick"])
            if code and tick <= total:
                kept, outcome = tick, Outcome.from_code(code)
                break
            if progress:
                progress(min(kept / total, 1.0), f"{min(kept, total) * prepared.dt:.3g} s simulated")
    except KeyboardInterrupt:
        if not pieces:
            raise
        outcome = Outcome.INTERRUPTED
    return _joined(jax.tree.map(np.asarray, first), pieces, min(kept, total)), outcome


def _joined(first: dict[str, Any], pieces: list[dict[str, np.ndarray]], kept: int) -> dict[str, np.ndarray]:
    """All records in one array each, the state at t = 0 in front.

    Signals that only exist once the compensator or the feedback has acted take their first value there.
    """
    joined = {}
    for name, values in pieces[0].items():
        whole = np.empty((kept + 1, *values.shape[1:]), dtype=values.dtype)
        whole[0] = first.get(name, values[0])
        done = 1
        for piece in pieces:
            part = piece[name][: kept + 1 - done]
            whole[done : done + len(part)] = part
            done += len(part)
        joined[name] = whole
    return joined
