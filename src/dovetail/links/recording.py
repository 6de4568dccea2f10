"""A run in real time as a recording: what the loop noted, what the clock and the link met, what came after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from dovetail.core.recording import Recording
from dovetail.links.connection import RigConnection
from dovetail.links.link_remarks import remarks
from dovetail.links.native import NativeTick, origin
from dovetail.links.ring import Ring
from dovetail.links.ring_recorder import RingRecorder
from dovetail.links.tick import Counts, Quantity
from dovetail.testing.limit_monitor import LimitMonitor, LimitState
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.recorder import with_record_interval
from dovetail.testing.run import Run, recording_of, recording_of_records
from dovetail.testing.test import Test

TICK_UNITS = {  # units of the quantities that end a run in its tick
    Quantity.TICK_LATENESS: "s",
    Quantity.MEASUREMENT_AGE: "ticks",
    Quantity.UNANSWERED_FRACTION: "1",
    Quantity.VELOCITY: "m/s",
    Quantity.ACCELERATION: "m/s^2",
}
AROUND = 0.25  # [s] kept before the end of a run that was stopped, beside what came after


def as_run(
    test: Test,
    address: str,
    result: dict[str, Any],
    monitors: Sequence[LimitMonitor],
    recorder: RingRecorder,
    paths: Sequence[Ring],
    tick: Any,
    connection: RigConnection,
) -> Run:
    """Return the recording up to the end of the test, with the samples of the return to rest if it was stopped.

    `monitors` are those of the test and of the two paths; `recorder` has the samples of the test, `paths` those of
    approach and return.
    """
    result = jax.tree.map(np.asarray, result)
    approached, returned = paths
    ring, records = recorder.ring, recorder.records
    state, kept = result["test"], result["test"].kept
    done = int(state.k)
    records.replace_first(result["first"], ring.signals)
    attributes = {
        "mode": "realtime",
        "title": test.title,
        "seed": test.seed,
        "rig": f"{connection.welcome.name} at {address}",
        "tick": f"native, {origin()}" if isinstance(tick, NativeTick) else "python",
        **_counts(tick.counts()),
        "link_timeout": connection.link_timeout,
    }
    data = recording_of_records(test, records, attributes)
    last = records.last
    if test.record_every > 1:
        last = ring.row_by_signal(kept.last) if done else last
        error = kept.largest[len(kept.last) :].reshape(test.shape)
        largest = {**ring.row_by_signal(kept.largest[: len(kept.last)]), "tracking_error": error}
        data = with_record_interval(data, largest, data.attrs.get("record_every", test.record_every))
    outcome, trip, phase = _end(test, result, monitors, (last, approached, returned), tick)
    texts = [text for text in (phase, recorder.remark(), *remarks(test, data, tick)) if text]
    data = data.with_attrs(remark="; ".join(texts))
    around = None
    if not outcome.completed:
        around = _around(test, data, done * test.dt, returned.columns(returned.row_count), attributes)
    return Run(test, "realtime", data, outcome, trip, around)


def _counts(counts: Counts) -> dict[str, Any]:
    """Return the counts as attributes of a dataset."""
    attributes = {f"datagrams_{name}": getattr(counts, name) for name in ("sent", "received", "lost")}
    attributes |= {f"datagrams_rejected_{reason.name.lower()}": n for reason, n in counts.rejected.items()}
    attributes |= {
        "ticks_late": counts.overruns,
        "ticks_held": counts.held,
        "max_measurement_age": counts.max_age,
    }
    return attributes | {
        word.replace(" ", "_").replace("-", "_"): text for word, text in counts.scheduling.items()
    }


def _end(
    test: Test,
    result: dict[str, Any],
    monitors: Sequence[LimitMonitor],
    samples: tuple[dict[str, np.ndarray], Ring, Ring],
    tick: Any,
) -> tuple[Outcome, Trip | None, str]:
    """Return the outcome of the first phase that was stopped, its trip, and the phase unless it is the test.

    `samples` are the last sample of the test, and the rings of approach and return. The last exchange of a run, after
    the return, has no sample: a link lost there is in the tick only.
    """
    last, approached, returned = samples
    state, end = result["test"], int(result["test"].k) * test.dt
    code, monitor, breach, phase = int(state.monitor.code), monitors[0], state.monitor, ""
    if int(result["approach"].code):
        monitor, breach, end, phase = monitors[1], result["approach"], 0.0, "stopped on the way to the start"
        last = _sample(approached, breach)
    elif not code:
        code, breach = int(result["return"].code) or tick.code, result["return"]
        if code:
            monitor, phase, last = monitors[1], "stopped on the way to rest", _sample(returned, breach)
            end += (1 + int(breach.sample)) * test.dt
    outcome = Outcome.from_code(code)
    quantity, value, limit = tick.exceeded
    if quantity and tick.code == code:
        return outcome, Trip(quantity.name.lower(), value, limit, end, TICK_UNITS[quantity]), phase
    return outcome, monitor.trip(outcome, end, last, breach), phase


def _sample(ring: Ring, state: LimitState) -> dict[str, np.ndarray]:
    """Return the sample of a ring in which a monitor stopped."""
    return {name: values[int(state.sample)] for name, values in ring.columns(ring.row_count).items()}


def _around(
    test: Test, data: Recording, end: float, after: dict[str, np.ndarray], attributes: dict[str, Any]
) -> Recording:
    """The last of the run and all of what followed, in the signals that both have."""
    late = {name: values for name, values in after.items() if name in data}
    early = data.between(end - AROUND)
    times = end + test.dt * np.arange(1, len(next(iter(late.values()))) + 1)
    both = {name: np.concatenate([early[name].values, values]) for name, values in late.items()}
    return recording_of(
        test, np.concatenate([early.time.values, times]), both, {**attributes, "ended_at": end}
    )
