"""Values of targets that are measures of a run: what `run`, `value`, `at`, `between`, `axis` and `ratio_to` name.

Each distinct run is computed once in a process. Reductions over time and measures of stability are those of campaigns
(`dovetail.campaign.measures`), here for each entry of a signal.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail import fidelity
from dovetail.campaign.measures import read_measure
from dovetail.campaign.parameter_paths import flatten
from dovetail.core.errors import ParameterError
from dovetail.core.recording import Recording
from dovetail.core.units import to_si
from dovetail.studies.registry import load
from dovetail.testing import Run
from dovetail.testing.modes import all_modes

RUN_KEYS = {"test", "mode", "set"}


def target_value(study: str, row: Mapping[str, Any]) -> Any:
    """Return the value of a row of a targets file: a number, a truth value, or an array over the entries of a signal.

    `ratio_to` divides by another value; the keys that it does not give are those of the row. Several runs give a list.
    """
    if isinstance(row["run"], list):
        return [target_value(study, {**row, "run": run}) for run in row["run"]]
    own = {key: value for key, value in row.items() if key != "ratio_to"}
    value = _measured(study, **own)
    return value / target_value(study, {**own, **row["ratio_to"]}) if "ratio_to" in row else value


def _measured(study: str, run: Mapping[str, Any], value: str, **window: Any) -> Any:
    if unknown := set(run) - RUN_KEYS:
        raise ParameterError(
            f"run: unknown key {', '.join(sorted(unknown))}; use {', '.join(sorted(RUN_KEYS))}"
        )
    if value.startswith("stability."):
        test = load(f"{study}/{run['test']}", flatten(run.get("set", {})))
        measure = read_measure(value)
        return measure.compute(test.stability(quick=measure.name != "stability_margin"))
    recorded = recorded_run(f"{study}/{run['test']}", run.get("set", {}), run.get("mode"))
    if value == "completed":
        return recorded.outcome.completed
    if ":" in value:
        module, _, name = value.partition(":")
        package = "dovetail.fidelity" if module == "fidelity" else f"dovetail.studies.{study}.{module}"
        recording = Recording.from_dataset(_between(recorded.data, window.get("between")))
        part = dataclasses.replace(recorded, recording=recording)
        return getattr(importlib.import_module(package), name)(part)
    return _of_signal(recorded.data, value, **window)


def recorded_run(test: str, changes: Mapping[str, Any] | None = None, mode: str | None = None) -> Run:
    """Return a run of the test "study/test" with changed values, in a mode; computed once in a process."""
    return _recorded(test, json.dumps(flatten(changes or {})), mode)


@cache
def _recorded(name: str, changes: str, mode: str | None) -> Run:
    test = load(name, json.loads(changes))
    run: Run = getattr(test, all_modes()[mode or test.default_mode].method)()
    return run


def _of_signal(
    data: xr.Dataset,
    value: str,
    at: list[float | str] | None = None,
    between: list[float | str] | None = None,
    axis: int | list[int | list[int]] | None = None,
) -> np.ndarray:
    """Return a reduction of a signal over time, or with `at` the signal itself at times, times last."""
    window = _between(data, between)
    reduction, _, label = ("", "", value) if at is not None else value.partition(" ")
    name = label.replace(" ", "_")
    signal = fidelity.local_error(window) if name == "tracking_error" else window[name]
    entries = signal.values[
        (slice(None), *(axis if isinstance(axis, list) else [] if axis is None else [axis]))
    ]
    if at is not None:
        times = [int(np.abs(window["time"].values - _seconds(t)).argmin()) for t in at]
        return np.moveaxis(entries[times], 0, -1)
    measure, valid = read_measure(value), jnp.ones(len(entries), bool)
    columns = entries.reshape(len(entries), -1).T
    reduced = [float(measure.compute({name: jnp.asarray(x), "valid": valid}, None, None)) for x in columns]
    return np.reshape(reduced, entries.shape[1:])


def _between(data: xr.Dataset, between: list[float | str] | None) -> xr.Dataset:
    """Return the samples from one time to another; "end" is the last."""
    if between is None:
        return data
    start, end = (None if t == "end" else _seconds(t) for t in between)
    return data.sel(time=slice(start, end))


def _seconds(time: float | str) -> float:
    return float(to_si(time, "s"))
