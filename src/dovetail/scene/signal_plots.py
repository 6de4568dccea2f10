"""Signals of a recording as plots: those that people look at first, and any other on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import xarray as xr

from dovetail.core import signals
from dovetail.core.decimate import telling
from dovetail.core.si_prefix import si_prefix
from dovetail.scene.scene import Plot

POINTS = 600  # of a plot, for each of its lines
FEET = 8  # whose forces can still be told apart in one plot
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


def curves(data: xr.Dataset, points: int = POINTS) -> list[Plot]:
    """What people look at first, where it was recorded: of several axes the one with the largest range, of feet all."""
    plots = []
    for wanted in FIRST:
        names = tuple(name for name in wanted if name in data)
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
        shown = telling(pair, points)
        pair = pair[shown]
        factor, unit = si_prefix(list(pair.T), _unit(data, "displacement", axis))
        title = f"synchronisation: measured over demand [{unit}]"
        moments = data.time.values[shown]
        plots.append(Plot(title, ["measured"], factor * pair[:, 0], [factor * pair[:, 1]], True, moments))
    return plots


def _feet(data: xr.Dataset, name: str, points: int) -> Plot:
    """The size of the force on every foot; where there are many, on the most loaded ones."""
    sizes = np.linalg.norm(data[name].transpose("time", "foot", ...).values, axis=2)
    worst = np.sort(np.argsort(-np.nanmax(sizes, axis=0), kind="stable")[:FEET])
    of = "" if len(worst) == sizes.shape[1] else f" of the {FEET} most loaded of {sizes.shape[1]} feet"
    feet = [f"foot {i + 1}" for i in worst]
    return _plot(f"{_spoken(name)}{of}", feet, data, sizes[:, worst], _unit(data, name), points)


def _several(data: xr.Dataset, name: str, points: int) -> Plot:
    """One axis of several bodies, the one on which they move most; each is a line."""
    values = data[name].transpose("time", "axis", ...).values
    values = values.reshape(*values.shape[:2], -1)
    axis = int(np.argmax(np.ptp(values, axis=0).max(axis=1)))
    shown = values[:, axis, :FEET]
    names = [str(i + 1) for i in range(shown.shape[1])]
    title = f"{_spoken(name)}, {data.axis.values[axis]}"
    return _plot(title, names, data, shown, _unit(data, name, axis), points)


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
    return lambda: _plot(
        label, [label], data, by_axis(data[name])[:, axis : axis + 1], _unit(data, name, axis)
    )


def _plot(
    title: str, names: Sequence[str], data: xr.Dataset, columns: np.ndarray, unit: str, points: int = POINTS
) -> Plot:
    """Columns (time, name) with every peak, in a unit that is easy to read: millimetres, kilonewtons."""
    shown = telling(columns, points)
    factor, unit = si_prefix(list(columns[shown].T), unit)
    return Plot(f"{title} [{unit or '1'}]", names, data.time.values[shown], list(factor * columns[shown].T))


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _busiest(data: xr.Dataset, name: str) -> int:
    """The axis of a signal with the largest range, among those in the unit of the first."""
    if "axis" not in data[name].dims or not data.sizes["time"]:
        return 0
    values = by_axis(data[name])
    alike = np.array([_unit(data, name, i) == _unit(data, name) for i in range(values.shape[1])])
    return int(np.argmax(np.where(alike, np.ptp(values, axis=0), -1.0)))


def _column(values: xr.DataArray, axis: int) -> np.ndarray:
    columns = by_axis(values)
    return columns[:, axis if "axis" in values.dims else 0]


def _unit(data: xr.Dataset, name: str, axis: int = 0) -> str:
    known, about = signals.known(), data[name].attrs
    each = np.atleast_1d(about.get("axis_units", []))
    if axis < len(each):
        return str(each[axis])
    return str(about.get("units", known[name].unit if name in known else "1"))
