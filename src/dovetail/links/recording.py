"""A run in real time as a recording: what the loop noted, what the clock and the link met, what came after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
import xarray as xr

from dovetail.links.connection import RigConnection
from dovetail.links.native import NativeTick, origin
from dovetail.links.ring import Ring
from dovetail.links.tick import Counts
from dovetail.testing.limit_monitor import LimitMonitor, LimitState
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.recorder import with_record_interval
from dovetail.testing.run import Run, dataset
from dovetail.testing.test import Test

AROUND = 0.25  # [s] kept before the end of a run that was stopped, beside what came after


def as_run(
    test: Test,
    address: str,
    result: dict[str, Any],
    monitors: Sequence[LimitMonitor],
    rings: Sequence[Ring],
    tick: Any,
    connection: RigConnection,
) -> Run:
    """Return the recording up to the end of the test, with the samples of the return to rest if it was stopped.

    `monitors` are those of the test and of the two paths; `rings` contain the samples of test, approach and return.
    """
    monitor, path_monitor = monitors
    result = jax.tree.map(np.asarray, result)
    recorded, approached, returned = rings
    state, kept = result["test"], result["test"].kept
    done, outcome = int(state.k), Outcome.from_code(state.monitor.code)
    records = {}
    for name, values in recorded.columns(done // test.record_every).items():
        start = result["first"].get(name, values[0] if len(values) else np.zeros(values.shape[1:]))
        records[name] = np.concatenate([np.asarray(start, dtype=float)[None], values])
    times = np.arange(done // test.record_every + 1) * (test.record_every * test.dt)
    attributes = {
        "mode": "realtime",
        "title": test.title,
        "seed": test.seed,
        "rig": f"{connection.welcome.name} at {address}",
        "tick": f"native, {origin()}" if isinstance(tick, NativeTick) else "python",
        **_counts(tick.counts()),
    }
    data = dataset(test, times, records, attributes)
    last, end = {name: values[-1] for name, values in records.items()}, done * test.dt
    if test.record_every > 1:
        last = recorded.row_by_signal(kept.last) if done else last
        error = kept.largest[len(kept.last) :].reshape(test.shape)
        largest = {**recorded.row_by_signal(kept.largest[: len(kept.last)]), "tracking_error": error}
        data = with_record_interval(data, largest, test.record_every)
    trip = None
    if int(result["approach"].code):
        trip = _path_trip(path_monitor, result["approach"], approached, 0.0)
    elif int(result["return"].code) and not int(state.monitor.code):
        outcome = Outcome.from_code(result["return"].code)
        time = end + (1 + int(result["return"].sample)) * test.dt
        trip = _path_trip(path_monitor, result["return"], returned, time)
    trip = trip or monitor.trip(outcome, end, last, state.monitor)
    trip = trip or _link_trip(last, outcome, test, end)
    around = None
    if not outcome.completed:
        around = _around(test, data, end, returned.columns(returned.row_count), attributes)
    return Run(test, "realtime", data, outcome, trip, around)


def _counts(counts: Counts) -> dict[str, Any]:
    """Counts as attributes of a dataset."""
    said = {f"datagrams_{name}": getattr(counts, name) for name in ("sent", "received", "lost")}
    said |= {f"datagrams_rejected_{reason.name.lower()}": n for reason, n in counts.rejected.items()}
    said |= {"ticks_late": counts.overruns, "ticks_held": counts.held}
    return said | {word.replace(" ", "_").replace("-", "_"): text for word, text in counts.scheduling.items()}


def _link_trip(last: dict[str, np.ndarray], outcome: Outcome, test: Test, end: float) -> Trip | None:
    """What the clock or the link met, in numbers."""
    if outcome is Outcome.DEADLINE:
        name, limit, unit = "tick_lateness", test.dt / 2, "s"
    elif outcome is Outcome.LINK_LOST:
        name, limit, unit = "measurement_age", float(test.limits.link_timeout), "ticks"
    else:
        return None
    return Trip(name, float(last[name]), limit, end, unit)


def _path_trip(monitor: LimitMonitor, state: LimitState, ring: Ring, time: float) -> Trip | None:
    """Return the trip of a breach during the approach or the return."""
    rows = ring.columns(ring.row_count)
    sample = {name: values[int(state.sample)] for name, values in rows.items()}
    return monitor.trip(Outcome.from_code(int(state.code)), time, sample, state)


def _around(
    test: Test, data: xr.Dataset, end: float, after: dict[str, np.ndarray], attributes: dict[str, Any]
) -> xr.Dataset:
    """The last of the run and all of what followed, in the signals that both have."""
    late = {name: values for name, values in after.items() if name in data}
    times = end + test.dt * np.arange(1, len(next(iter(late.values()))) + 1)
    early = data[list(late)].sel(time=slice(end - AROUND, None))
    both = xr.concat([early, dataset(test, times, late, attributes)], "time", data_vars="all")
    return both.assign_attrs({**attributes, "ended_at": end})
