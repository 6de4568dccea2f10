"""Plots of the signals of a recording: the main signals, and any other on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dovetail.core import signals
from dovetail.core.decimate import decimation_index
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.si_prefix import si_prefix
from dovetail.scene.scene import Plot

POINTS = 600  # points of each line of a plot
FEET = 8  # feet whose forces can be distinguished in one plot
FIRST = (
    ("displacement", "measured_displacement"),
    ("measured_force",),
    ("tension",),
    ("tow_tension", "end_tension"),
    ("contact_force",),
    ("tick_lateness",),
    ("tunable_values",),
)

COLOURS = (
    "#1f8bd0",
    "#dd6a14",
    "#0b9a72",
    "#cf45b8",
    "#7c7fe0",
    "#b98300",
    "#a9794a",
    "#7f8a94",
)  # of curves


def by_axis(values: RecordedSignal) -> np.ndarray:
    """Return values (time, all other dimensions flattened)."""
    return values.transpose("time", ...).values.reshape(values.sizes["time"], -1)


def curves(data: Recording, points: int = POINTS) -> list[Plot]:
    """Return plots of the recorded main signals: the axis with the largest range, or all feet."""
    plots = []
    for group in FIRST:
        names = tuple(name for name in group if name in data)
        if not names:
            continue
        if "foot" in data[names[0]].dims:
            plots.append(_feet(data, names[0], points))
            continue
        if "axis" in data[names[0]].dims and data[names[0]].ndim > 2:
            plots.append(_several(data, names[0], points))
            continue
        axis = _busiest(data, names[0])
        of = f", {data.axis.values[axis]}" if "axis" in data[names[0]].dims else ""
        columns = np.stack([_column(data[name], axis) for name in names], axis=1)
        unit = _unit(data, names[0], axis)
        plots.append(_plot(f"{_spoken(names[0])}{of}", names, data, columns, unit, points))
    if {"displacement", "measured_displacement"} <= set(data):
        axis = _busiest(data, "displacement")
        pair = np.stack([_column(data[n], axis) for n in ("displacement", "measured_displacement")], axis=1)
        index = decimation_index(pair, points)
        pair = pair[index]
        factor, unit = si_prefix(list(pair.T), _unit(data, "displacement", axis))
        title = f"synchronisation: measured against demand [{unit}]"
        moments = data.time.values[index]
        plots.append(Plot(title, ["measured"], factor * pair[:, 0], [factor * pair[:, 1]], True, moments))
    return plots


def _feet(data: Recording, name: str, points: int) -> Plot:
    """Return a plot of the force magnitude on every foot, or on the feet with the largest load."""
    sizes = np.linalg.norm(data[name].transpose("time", "foot", ...).values, axis=2)
    worst = np.sort(np.argsort(-np.nanmax(sizes, axis=0), kind="stable")[:FEET])
    of = "" if len(worst) == sizes.shape[1] else f" on {FEET} of {sizes.shape[1]} feet with the largest load"
    feet = [f"foot {i + 1}" for i in worst]
    return _plot(f"{_spoken(name)}{of}", feet, data, sizes[:, worst], _unit(data, name), points)


def _several(data: Recording, name: str, points: int) -> Plot:
    """Return a plot of several bodies on the axis with the largest motion, one line for each body."""
    values = data[name].transpose("time", "axis", ...).values
    values = values.reshape(*values.shape[:2], -1)
    axis = int(np.argmax(np.ptp(values, axis=0).max(axis=1)))
    feet = values[:, axis, :FEET]
    names = [str(i + 1) for i in range(feet.shape[1])]
    title = f"{_spoken(name)}, {data.axis.values[axis]}"
    return _plot(title, names, data, feet, _unit(data, name, axis), points)


def choices(data: Recording) -> Mapping[str, Callable[[], Plot]]:
    """Return plots of every axis of every signal, made on demand."""
    plots: dict[str, Callable[[], Plot]] = {}
    for name in sorted(map(str, data)):
        if "time" not in data[name].dims:
            continue
        count = int(np.prod([size for dim, size in data[name].sizes.items() if dim != "time"], dtype=int))
        named = [str(v) for v in data.axis.values] if "axis" in data[name].dims else range(1, count + 1)
        for i, axis in zip(range(count), named, strict=False):
            label = name.replace("_", " ") + (f", {axis}" if count > 1 else "")
            plots[label] = _signal_plot(data, name, i, label)
    return plots


def _signal_plot(data: Recording, name: str, axis: int, label: str) -> Callable[[], Plot]:
    return lambda: _plot(
        label, [label], data, by_axis(data[name])[:, axis : axis + 1], _unit(data, name, axis)
    )


def _plot(
    title: str, names: Sequence[str], data: Recording, columns: np.ndarray, unit: str, points: int = POINTS
) -> Plot:
    """Return a plot of columns (time, name), decimated with all peaks, in a prefixed unit (mm, kN)."""
    index = decimation_index(columns, points)
    factor, unit = si_prefix(list(columns[index].T), unit)
    return Plot(f"{title} [{unit or '1'}]", names, data.time.values[index], list(factor * columns[index].T))


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _busiest(data: Recording, name: str) -> int:
    """Return the axis of a signal with the largest range, among axes with the unit of the first."""
    if "axis" not in data[name].dims or not data.sizes["time"]:
        return 0
    values = by_axis(data[name])
    alike = np.array([_unit(data, name, i) == _unit(data, name) for i in range(values.shape[1])])
    return int(np.argmax(np.where(alike, np.ptp(values, axis=0), -1.0)))


def _column(values: RecordedSignal, axis: int) -> np.ndarray:
    columns = by_axis(values)
    return columns[:, axis if "axis" in values.dims else 0]


def _unit(data: Recording, name: str, axis: int = 0) -> str:
    known, about = signals.all_signals(), data[name].attrs
    each = np.atleast_1d(about.get("axis_units", []))
    if axis < len(each):
        return str(each[axis])
    return str(about.get("units", known[name].unit if name in known else "1"))
