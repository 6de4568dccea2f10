"""A run in real time as a recording: what the loop noted, what the clock and the link met, what came after."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import xarray as xr

from dovetail.links.connection import Connection
from dovetail.links.native import NativeTick, origin
from dovetail.links.ring import Ring
from dovetail.links.tick import Counts
from dovetail.testing.limit_monitor import Watch, across, with_stale
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.recorder import thinned
from dovetail.testing.run import Run, dataset, find_trip
from dovetail.testing.test import Test

AROUND = 0.25  # [s] kept before the end of a run that was stopped, beside what came after


def as_run(
    test: Test,
    url: str,
    result: dict[str, Any],
    noted: Ring,
    after: Ring,
    tick: Any,
    connection: Connection,
) -> Run:
    """The recording up to the end, and beside it what came after."""
    result = jax.tree.map(np.asarray, result)
    done, code = int(result["done"]), int(result["code"])
    records = {}
    for name, values in noted.columns(done // test.record_every).items():
        start = result["first"].get(name, values[0] if len(values) else np.zeros(values.shape[1:]))
        records[name] = np.concatenate([np.asarray(start, dtype=float)[None], values])
    outcome = Outcome.from_code(code)
    trip = None
    seen, met = result["approach"]
    if int(seen["code"]) and int(seen["code"]) == code:
        trip = _led_trip(test, outcome, 0.0, met)
    seen, met = result["rest"]
    if int(seen["code"]) and not code:  # the test is over, but the way to rest was not
        outcome = Outcome.from_code(seen["code"])
        trip = _led_trip(test, outcome, (done + 1 + int(seen["tick"])) * test.dt, met)
    times = np.arange(done // test.record_every + 1) * (test.record_every * test.dt)
    attributes = {
        "mode": "run",
        "title": test.title,
        "seed": test.seed,
        "rig": f"{connection.welcome.name} at {url}",
        "tick": f"native, {origin()}" if isinstance(tick, NativeTick) else "python",
        **_told(tick.counts()),
    }
    data = dataset(test, times, records, attributes)
    last, end = {name: values[-1] for name, values in records.items()}, done * test.dt
    if test.record_every > 1:
        row, largest = result["kept"]
        last = noted.named(row) if done else last
        strayed = largest[len(row) :].reshape(test.shape)
        data = thinned(
            data, {**noted.named(largest[: len(row)]), "tracking_error": strayed}, test.record_every
        )
    trip = trip or find_trip(with_stale(test, "run"), outcome, end, last, result["watch"])
    trip = trip or _link_trip(last, outcome, test, end)
    around = None
    if not outcome.completed:
        around = _around(test, data, end, after.columns(after.written), attributes)
    return Run(test, "run", data, outcome, trip, around)


def _told(counts: Counts) -> dict[str, Any]:
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
        name, limit, unit = "reading_age", float(test.limits.silence), "ticks"
    else:
        return None
    return Trip(name, float(last[name]), limit, end, unit)


def _led_trip(test: Test, outcome: Outcome, t: float, met: dict[str, np.ndarray]) -> Trip | None:
    """What a rig met that was led to its start, or to rest."""
    return Watch.of(with_stale(test, "run"), "approach and rest").trip(
        outcome, t, {**met, **across(met, met)}
    )


def _around(
    test: Test, data: xr.Dataset, end: float, after: dict[str, np.ndarray], attributes: dict[str, Any]
) -> xr.Dataset:
    """The last of the run and all of what followed, in the signals that both have."""
    late = {name: values for name, values in after.items() if name in data}
    times = end + test.dt * np.arange(1, len(next(iter(late.values()))) + 1)
    early = data[list(late)].sel(time=slice(end - AROUND, None))
    both = xr.concat([early, dataset(test, times, late, attributes)], "time", data_vars="all")
    return both.assign_attrs({**attributes, "ended_at": end})
