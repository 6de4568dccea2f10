"""Computing effort of a run: steps, evaluations, events and processor time per interval, and real-time ratio.

The source lists the same for its program [Schock 2020, app. E]: simulated time over processor time per interval, low
at contact events and at corners of the prescribed tables.
"""

from __future__ import annotations

import time
from typing import Any

import jax
import numpy as np
import xarray as xr

from dovetail.core.advance import compiled_advance, compiled_begin
from dovetail.core.errors import ParameterError
from dovetail.core.keep import Rows
from dovetail.testing import Simulate

STAGES = 4  # evaluations of the rates in a step


def solver_statistics(test: Any, interval: float = 0.1) -> xr.Dataset:
    """Measure the computing effort of a simulation in intervals of about `interval` [s], without compilation.

    Variables over `time` (the end of each interval): `steps`, `again` (rejected steps), `events`, `evaluations`,
    `cpu` [s] and `ratio`, simulated over processor time; above 1 it is faster than real time.
    """
    number = max(1, round(interval * test.rate))
    count = test.tick_count // number
    if count < 1:
        raise ParameterError(f"solver_statistics: an interval of {interval:g} s is longer than the run")
    mode, prepared = Simulate(), test.prepare()
    parts = mode.system(prepared), mode.clock(prepared), mode.monitor(prepared), Rows()
    state, _ = compiled_begin(parts[0], *parts[2:])
    jax.block_until_ready(compiled_advance(*parts, state, number))  # compiles
    counts, spent, before = [], [], np.zeros(3)
    for _ in range(count):
        begin = time.process_time()
        state, _, piece = jax.block_until_ready(compiled_advance(*parts, state, number))
        spent.append(time.process_time() - begin)
        now = np.asarray(piece["solver_steps"])[-1]
        counts.append(now - before)
        before = now
    steps, again, events = np.array(counts).T
    cpu, width = np.array(spent), number * test.dt
    units = {"cpu": "s"}
    columns = {
        "steps": steps,
        "again": again,
        "events": events,
        "evaluations": STAGES * (steps + again),
        "cpu": cpu,
        "ratio": width / np.maximum(cpu, 1e-9),
    }
    data = {name: ("time", values, {"units": units.get(name, "1")}) for name, values in columns.items()}
    times = ("time", width * np.arange(1, count + 1), {"units": "s"})
    return xr.Dataset(data, {"time": times}, {"title": test.title, "ratio": count * width / cpu.sum()})
