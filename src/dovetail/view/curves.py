"""Signals of a recording as plots: those that people look at first, and any other on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import xarray as xr

from dovetail.core import signals
from dovetail.report.style import prefixed
from dovetail.view.stage import Plot

POINTS = 600  # of a plot
FIRST = (
    ("displacement", "measured_displacement"),
    ("measured_force",),
    ("tension",),
    ("tow_tension", "end_tension"),
    ("contact_force",),
    ("tick_lateness",),
    ("dials",),
)


def by_axis(values: xr.DataArray) -> np.ndarray:
    """Values (time, everything else)."""
    return values.transpose("time", ...).values.reshape(values.sizes["time"], -1)


def curves(data: xr.Dataset) -> list[Plot]:
    """What people look at first, where it was recorded; of several axes the one that moves most."""
    every = max(1, data.sizes["time"] // POINTS)
    t, axis = data.time.values[::every], _busiest(data)
    plots = []
    for names in FIRST:
        names = tuple(name for name in names if name in data)
        if names:
            shown = [_column(data[name], axis)[::every] for name in names]
            of = f", {data.axis.values[axis]}" if "axis" in data[names[0]].dims else ""
            plots.append(
                _plot(f"{names[0].replace('_', ' ')}{of}", names, t, shown, _unit(data, names[0], axis))
            )
    if {"displacement", "measured_displacement"} <= set(data):
        z, x = (_column(data[n], axis)[::every] for n in ("displacement", "measured_displacement"))
        factor, unit = prefixed([z, x], _unit(data, "displacement", axis))
        title = f"synchronisation: measured over demand [{unit}]"
        plots.append(Plot(title, ["measured"], factor * z, [factor * x], dots=True))
    return plots


def choices(data: xr.Dataset) -> Mapping[str, Callable[[], Plot]]:
    """Every signal and every axis of it, each a plot that is made when it is asked for."""
    found: dict[str, Callable[[], Plot]] = {}
    for name in sorted(map(str, data.data_vars)):
        if "time" not in data[name].dims:
            continue
        count = int(np.prod([size for dim, size in data[name].sizes.items() if dim != "time"], dtype=int))
        named = [str(v) for v in data.axis.values] if "axis" in data[name].dims else range(1, count + 1)
        for i, axis in zip(range(count), named, strict=False):
            label = name.replace("_", " ") + (f", {axis}" if count > 1 else "")
            found[label] = _made(data, name, i, label)
    return found


def _made(data: xr.Dataset, name: str, axis: int, label: str) -> Callable[[], Plot]:
    def make() -> Plot:
        every = max(1, data.sizes["time"] // POINTS)
        values = by_axis(data[name])[::every, axis]
        return _plot(label, [label], data.time.values[::every], [values], _unit(data, name, axis))

    return make


def _plot(title: str, names: Sequence[str], t: np.ndarray, values: Sequence[np.ndarray], unit: str) -> Plot:
    """In a unit that is easy to read: millimetres, microseconds, kilonewtons."""
    factor, unit = prefixed(values, unit)
    return Plot(f"{title} [{unit or '1'}]", names, t, [factor * v for v in values])


def _busiest(data: xr.Dataset) -> int:
    """The axis of the interface with the largest range."""
    if "displacement" not in data or "axis" not in data["displacement"].dims:
        return 0
    values = by_axis(data["displacement"])
    return int(np.argmax(np.ptp(values, axis=0))) if len(values) else 0


def _column(values: xr.DataArray, axis: int) -> np.ndarray:
    columns = by_axis(values)
    return columns[:, axis if "axis" in values.dims else 0]


def _unit(data: xr.Dataset, name: str, axis: int = 0) -> str:
    known, about = signals.known(), data[name].attrs
    each = np.atleast_1d(about.get("axis_units", []))
    if axis < len(each):
        return str(each[axis])
    return str(about.get("units", known[name].unit if name in known else "1"))
