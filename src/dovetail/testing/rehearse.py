"""Rehearsal: the loop with a simulated rig, sampled or continuous; or a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.core.executable_store import ready
from dovetail.testing.continuous import run_continuous
from dovetail.testing.limit_monitor import with_frozen_sensor_limit
from dovetail.testing.memory_estimate import require_memory
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records, compute_chunks
from dovetail.testing.run import Progress, Run, as_run
from dovetail.testing.shared_programs import chunk_length, traced_inputs

if TYPE_CHECKING:
    from dovetail.testing.runnable import Runnable


def rehearse(test: Runnable, progress: Progress | None = None, *, keep: bool = True) -> Run:
    """Run a test with its simulated rig, or run a simulation.

    With `sampling = "none"` the rig is part of the continuous-time equations, and ticks only define the records. An
    interrupt ends the run and keeps its data; without `keep` it is raised.
    """
    require_memory(test)
    prepared = with_frozen_sensor_limit(test.prepare(), test.DEFAULT_MODE)
    system = prepared.coupled_system()
    if system is None:
        return run_prepared(test, prepared, test.DEFAULT_MODE, progress, keep)
    return run_continuous(test, prepared, system, "rehearse", None, progress, keep)


def run_prepared(
    test: Runnable, prepared: Runnable, mode: str, progress: Progress | None = None, keep: bool = True
) -> Run:
    """Run a prepared test in a mode.

    One compiled program is called chunk by chunk, so that progress can be reported and an interrupt soon takes
    effect. The run ends where a limit is reached.
    """
    records, first, monitor_state, outcome = run_chunks(prepared, progress, keep)
    attributes = {"mode": mode, "title": test.title, "seed": test.seed}
    return as_run(test, prepared, attributes, records.to_arrays(first), records, monitor_state, outcome)


_start = ready(lambda test: test.start())
_advance = ready(lambda test, state, first, number: test.advance(state, first, number, ahead=True))


def run_chunks(
    prepared: Runnable, progress: Progress | None, keep: bool
) -> tuple[Records, Any, Any, Outcome]:
    """Return the records, the record of t = 0, the state of the limit monitor, and the outcome."""
    total = prepared.tick_count
    size, program = chunk_length(total, *prepared.CHUNK_LENGTHS), traced_inputs(prepared)
    records = Records(prepared.record_every)
    state, first = _start(program)
    records.last = jax.tree.map(np.asarray, first)

    def advance(tick):
        nonlocal prepared, program, state
        if tick and (now := prepared.adapt(state)) is not None:
            prepared, state = now
            program = traced_inputs(prepared)
        state, chunk = _advance(program, state, tick, size)
        return chunk, state["monitor"]

    def report(tick):
        if progress:
            progress(tick / total, f"{tick * prepared.dt:.3g} s simulated")

    monitor_state, outcome = compute_chunks(records, total, size, advance, report, keep)
    return records, jax.tree.map(np.asarray, first), monitor_state, outcome
