"""Time histories of motion, force and errors, with a detail view and one row of panels for each axis.

A second column shows a detail if part of the record is worth it. Symbols, units and labels come from the signal table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dovetail.core import signals
from dovetail.core.decimate import decimate
from dovetail.core.errors import DovetailError
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.si_prefix import si_prefix
from dovetail.fidelity.errors import error_recording
from dovetail.fidelity.spectra import spectrum as amplitudes_by_frequency
from dovetail.fidelity.spectra import spectrum_peaks
from dovetail.fidelity.traces import Recorded, recording
from dovetail.report.style import COLOURS, WIDTH, figure_style, new_figure

Axes = Sequence[int] | None  # indices of the axes to draw; None draws all

CYCLES = 4  # cycles in the detail view
MANY = 4  # from this number of axes, panels are small, so that a page holds more than one figure
ACROSS = 3  # panels in a row of `side_by_side`
SAMPLES = 16_384  # samples used to find the cycle length


@dataclass(frozen=True)
class TraceStyle:
    """Line style of a signal."""

    colour: str
    label: str
    width: float = 1.4
    dash: str | tuple[float, tuple[float, ...]] = "-"


REFERENCE = TraceStyle(COLOURS["reference"], "reference", 3.6)
DEMAND = TraceStyle(COLOURS["demand"], "demand")
MEASURED = TraceStyle(COLOURS["measured"], "measured", 1.4, (0, (4, 1.6)))
COMMAND = TraceStyle(COLOURS["command"], "command", 1.2, (0, (1, 1)))


def motion(run: Recorded, reference: Recorded | None = None, *, axes: Axes = None) -> Figure:
    """Return demand, measured displacement and reference, with a detail view."""
    lines = [(run, "displacement", DEMAND), (run, "measured_displacement", MEASURED)]
    if reference is not None:
        lines.insert(0, (reference, "displacement", REFERENCE))
    return _histories(lines, "displacement", run, axes=axes)


def free_motion(run: Recorded, *, axes: Axes = None) -> Figure:
    """Return the displacement of an interface without a rig (demand and measurement are equal)."""
    return _histories([(run, "displacement", DEMAND)], "displacement", run, axes=axes)


def force(run: Recorded, reference: Recorded | None = None, *, axes: Axes = None) -> Figure:
    """Return the force fed back to the numerical substructure and that of the reference, with a detail view."""
    lines = [
        (run, "feedback_force", replace(MEASURED, dash="-"))
    ]  # dashed only if the reference lies below it
    if reference is not None and "feedback_force" in recording(reference):
        lines = [(run, "feedback_force", MEASURED)]
        lines.insert(0, (reference, "feedback_force", REFERENCE))
    return _histories(lines, "feedback force", run, names={"measured": "feedback"}, axes=axes)


def errors(run: Recorded, reference: Recorded | None = None, *, axes: Axes = None) -> Figure:
    """Return the tracking error e2, and with a reference the response error e1, with a detail view."""
    signals = error_recording(run, reference)
    lines = [(signals, "e2", TraceStyle(COLOURS["measured"], "e₂ tracking error: demand − measured", 1.2))]
    if reference is not None:
        lines.append(
            (signals, "e1", TraceStyle(COLOURS["demand"], "e₁ response error: reference − demand", 1.6))
        )
    if axes is None or len(axes) < MANY:
        return _histories(lines, "error", run, axes=axes)
    scales = _scales(lines, recording(run), recording(run)["axis"].size)

    def draw(ax: Any, axis: int) -> None:
        for source, name, line in lines:
            t, y = _trace(recording(source), name, axis)
            ax.plot(*decimate(t, scales[axis][0] * y), color=line.colour, lw=line.width, label=line.label)
        ax.set(xlabel="time [s]", ylabel=f"[{scales[axis][1]}]")

    return side_by_side(run, axes, draw, 1.6)


def has_detail_view(run: Recorded) -> bool:
    """Return whether a run has a detail view: a part of interest shorter than half the record."""
    data = recording(run)
    start, end = _close_look(data)
    return end - start < 0.5 * float(np.ptp(data.time.values))


def _histories(
    lines, what: str, run: Recorded, names: Mapping[str, str] | None = None, axes: Axes = None
) -> Figure:
    """Return time histories: complete record on the left, detail on the right if there is one."""
    data = recording(run)
    start, end = _close_look(data)
    last = float(data.time.values[-1])
    closer = has_detail_view(run)
    count = max(int(np.prod(recording(source)[name].shape[1:])) for source, name, _ in lines)
    moving = list(range(count)) if axes is None else [i for i in axes if i < count]
    scales = _scales(lines, data, count)
    tall = 1.75 if len(moving) == 1 else 1.5 if len(moving) < MANY else 0.82
    figure, panels = new_figure(
        len(moving),
        2 if closer else 1,
        height=0.95 + tall * len(moving),
        width=WIDTH,
        sharex="col",
        sharey="row",
        gridspec_kw={"width_ratios": [1.7, 1]} if closer else None,
    )
    with figure_style():
        for row, axis in enumerate(moving):
            whole, (factor, unit) = panels[row, 0], scales[axis]
            for source, name, line in lines:
                t, y = _trace(recording(source), name, axis)
                t, y = t[t <= last], factor * y[t <= last]
                label = (names or {}).get(line.label, line.label) if row == 0 else None
                style = {"color": line.colour, "lw": line.width, "ls": line.dash, "solid_capstyle": "round"}
                whole.plot(*decimate(t, y), label=label, **(style | {"lw": 0.8 * line.width, "ls": "-"}))
                if closer:
                    near = (t >= start) & (t <= end)
                    panels[row, 1].plot(*decimate(t[near], y[near], 900), **style)
            if closer:
                whole.axvspan(start, end, color=COLOURS["band"], lw=0, zorder=0)
                panels[row, 1].set_xlim(start, end)
            whole.set_xlim(data.time.values[0], last)
            named = f"{axis_name(data, axis)}" if count > 1 else what
            whole.set_ylabel(f"{named} [{unit}]" if unit else named)
        panels[-1, 0].set_xlabel("time [s]")
        if count > 1:
            panels[0, 0].set_title(f"{what}, by axis")
        if closer:
            panels[-1, 1].set_xlabel("time [s], detail")
        figure.align_ylabels()
        figure.legend(loc="outside upper left", ncols=4, borderaxespad=0, handlelength=1.8)
    return figure


def _scales(lines, data: Recording, count: int) -> list[tuple[float, str]]:
    """Return SI prefix factor and unit of each axis.

    All axes share one factor, unless some axes are angles; then each axis has its own.
    """
    everything = [recording(source)[name].values for source, name, _ in lines]
    units = _units(recording(lines[0][0])[lines[0][1]], data, count)
    if len(set(units)) > 1:
        columns = [np.concatenate([v.reshape(len(v), -1)[:, i] for v in everything]) for i in range(count)]
        return [si_prefix(column, unit) for column, unit in zip(columns, units, strict=True)]
    return [si_prefix(np.concatenate([np.ravel(v) for v in everything]), units[0])] * count


def side_by_side(
    run: Recorded, axes: Sequence[int], draw: Callable[[Any, int], None], tall: float = 2.1
) -> Figure:
    """Return a figure with one panel for each axis, `tall` [in], three in a row."""
    rows = -(-len(axes) // ACROSS)
    figure, panels = new_figure(rows, ACROSS, height=0.5 + tall * rows)
    for i, ax in enumerate(panels.ravel()):
        if i < len(axes):
            draw(ax, axes[i])
            with figure_style():
                if len(axes) > 1 or "axis" in recording(run).dims:
                    ax.set_title(f"axis {axis_name(recording(run), axes[i])}")
        else:
            ax.set_visible(False)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    with figure_style():
        for ax in panels[:-1].ravel():
            ax.set_xlabel(ax.get_xlabel() if "demand" in ax.get_xlabel() else "")  # labelled in the last row
        figure.legend(handles, labels, loc="outside upper left", ncols=4, handlelength=1.6, borderaxespad=0)
    return figure


def unit_of(data: Recording, axis: int) -> str:
    """Return the unit of the displacement on an axis."""
    each = list(data["displacement"].attrs.get("axis_units", ()))
    return each[axis] if each else signals.signal("displacement").unit


def _units(values: RecordedSignal, data: Recording, count: int) -> list[str]:
    """Return the unit of each axis; if a difference of signals has none, the unit of the motion."""
    for attributes in (values.attrs, data["displacement"].attrs if "displacement" in data else {}):
        each = list(attributes.get("axis_units", ()))
        if len(each) == count:
            return each
    return [values.attrs.get("units", "1")] * count


def _close_look(data: Recording) -> tuple[float, float]:
    """Return start and end [s] of the detail view: the last few cycles of the demand.

    If these are more than half of the run, or there are no cycles (a run with few contacts), the detail shows the time
    around the largest force.
    """
    t = data.time.values
    first, end = float(t[0]), float(t[-1])
    cycle = _cycle(data)
    if cycle is not None and CYCLES * cycle < 0.5 * (end - first):
        return end - CYCLES * cycle, end
    if "feedback_force" not in data or not np.any(size := _sizes(data["feedback_force"])):
        return last_cycles(data)
    middle, half = float(t[int(np.argmax(size))]), 0.04 * (end - first)
    return max(middle - half, first), min(middle + half, end)


def last_cycles(data: Recording) -> tuple[float, float]:
    """Return start and end [s] of the last few cycles of the demand, or of the last tenth without clear cycles."""
    first, end = float(data.time.values[0]), float(data.time.values[-1])
    cycle = _cycle(data)
    return max(end - (CYCLES * cycle if cycle is not None else (end - first) / 10), first), end


def _cycle(data: Recording) -> float | None:
    """Return the period [s] of the demand; None without a clear period."""
    try:
        every = max(1, data.sizes["time"] // SAMPLES)
        few = data.isel(time=slice(None, None, every))
        frequencies, amplitudes = amplitudes_by_frequency(few, "displacement")
        first_axis = amplitudes.reshape(len(frequencies), -1)[:, 0]
        return 1 / spectrum_peaks(frequencies, first_axis, count=1)[0].frequency
    except (DovetailError, IndexError):
        return None


def _sizes(force: RecordedSignal) -> np.ndarray:
    """Return the force magnitude over time, each axis relative to its maximum."""
    values = np.abs(force.values.reshape(len(force.values), -1))
    return (values / np.maximum(values.max(axis=0), 1e-300)).max(axis=1) * (values.max() > 0)


def _trace(data: Recording, name: str, axis: int) -> tuple[np.ndarray, np.ndarray]:
    values = data[name].values
    return data.time.values, values if values.ndim == 1 else values.reshape(len(values), -1)[:, axis]


def one_axis(data: Recording, axis: int) -> Recording:
    """Return the recording of one axis."""
    return data.isel(axis=axis)


def axis_name(data: Recording, axis: int) -> str:
    """Return the name of an axis, or its number from 1."""
    return str(data.axis.values[axis]) if "axis" in data.coords else str(axis + 1)
