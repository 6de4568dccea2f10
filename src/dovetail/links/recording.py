"""Recording of a real-time run: records of the loop, statistics of clock and link, and the return to rest."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import xarray as xr

from dovetail.links.connection import RigConnection
from dovetail.links.native import NativeTick, origin
from dovetail.links.ring import Ring
from dovetail.links.tick import Counts
from dovetail.testing.limit_monitor import LimitMonitor, interface_quantities, with_frozen_sensor_limit
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.recorder import with_record_interval
from dovetail.testing.run import Run, dataset, find_trip
from dovetail.testing.test import Test

AROUND = 0.25  # [s] part of a stopped run in the recording of its return to rest


def as_run(
    test: Test,
    url: str,
    result: dict[str, Any],
    records: Ring,
    return_records: Ring,
    tick: Any,
    connection: RigConnection,
) -> Run:
    """Return the run with its recording, and with the recording of the return to rest."""
    result = jax.tree.map(np.asarray, result)
    ticks, code = int(result["ticks"]), int(result["code"])
    columns = {}
    for name, values in records.columns(ticks // test.record_every).items():
        start = result["first"].get(name, values[0] if len(values) else np.zeros(values.shape[1:]))
        columns[name] = np.concatenate([np.asarray(start, dtype=float)[None], values])
    outcome = Outcome.from_code(code)
    trip = None
    monitor, signals = result["approach"]
    if int(monitor["code"]) and int(monitor["code"]) == code:
        trip = _lead_trip(test, outcome, 0.0, signals)
    monitor, signals = result["rest"]
    if int(monitor["code"]) and not code:  # a limit during the return to rest, after the test
        outcome = Outcome.from_code(monitor["code"])
        trip = _lead_trip(test, outcome, (ticks + 1 + int(monitor["tick"])) * test.dt, signals)
    times = np.arange(ticks // test.record_every + 1) * (test.record_every * test.dt)
    attributes = {
        "mode": "realtime",
        "title": test.title,
        "seed": test.seed,
        "rig": f"{connection.welcome.name} at {url}",
        "tick": f"native, {origin()}" if isinstance(tick, NativeTick) else "python",
        **_count_attributes(tick.counts()),
    }
    data = dataset(test, times, columns, attributes)
    last, end = {name: values[-1] for name, values in columns.items()}, ticks * test.dt
    if test.record_every > 1:
        row, largest = result["last"]
        last = records.row_by_signal(row) if ticks else last
        tracking_error = largest[len(row) :].reshape(test.shape)
        data = with_record_interval(
            data,
            {**records.row_by_signal(largest[: len(row)]), "tracking_error": tracking_error},
            test.record_every,
        )
    trip = trip or find_trip(
        with_frozen_sensor_limit(test, "realtime"), outcome, end, last, result["monitor"]
    )
    trip = trip or _link_trip(last, outcome, test, end)
    return_data = None
    if not outcome.completed:
        columns = return_records.columns(return_records.row_count)
        return_data = _return_recording(test, data, end, columns, attributes)
    return Run(test, "realtime", data, outcome, trip, return_data)


def _count_attributes(counts: Counts) -> dict[str, Any]:
    """Return the counters as attributes of a dataset."""
    attributes: dict[str, Any] = {
        f"datagrams_{name}": getattr(counts, name) for name in ("sent", "received", "lost")
    }
    attributes |= {f"datagrams_rejected_{reason.name.lower()}": n for reason, n in counts.rejected.items()}
    attributes |= {"ticks_late": counts.overruns, "ticks_held": counts.held}
    return attributes | {
        word.replace(" ", "_").replace("-", "_"): text for word, text in counts.scheduling.items()
    }


def _link_trip(last: dict[str, np.ndarray], outcome: Outcome, test: Test, end: float) -> Trip | None:
    """Return the trip of the clock or the link."""
    if outcome is Outcome.DEADLINE:
        name, limit, unit = "tick_lateness", test.dt / 2, "s"
    elif outcome is Outcome.LINK_LOST:
        name, limit, unit = "measurement_age", float(test.limits.link_timeout), "ticks"
    else:
        return None
    return Trip(name, float(last[name]), limit, end, unit)


def _lead_trip(test: Test, outcome: Outcome, t: float, signals: dict[str, np.ndarray]) -> Trip | None:
    """Return the trip during the approach, or during the return to rest."""
    return LimitMonitor.for_test(with_frozen_sensor_limit(test, "realtime"), "approach and rest").trip(
        outcome, t, {**signals, **interface_quantities(signals, signals)}
    )


def _return_recording(
    test: Test, data: xr.Dataset, end: float, columns: dict[str, np.ndarray], attributes: dict[str, Any]
) -> xr.Dataset:
    """Return the last part of the run and the return to rest, with the signals that both contain."""
    common = {name: values for name, values in columns.items() if name in data}
    times = end + test.dt * np.arange(1, len(next(iter(common.values()))) + 1)
    before = data[list(common)].sel(time=slice(end - AROUND, None))
    both = xr.concat([before, dataset(test, times, common, attributes)], "time", data_vars="all")
    return both.assign_attrs({**attributes, "ended_at": end})
