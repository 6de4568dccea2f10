"""Overview figure of a run, as returned by `run.plot()`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from dovetail.core import signals
from dovetail.core.decimate import decimate
from dovetail.core.errors import AnalysisError
from dovetail.core.recording import RecordedSignal
from dovetail.core.si_prefix import si_prefix
from dovetail.fidelity.traces import Recorded, recording
from dovetail.report.style import COLOURS, WIDTH, figure_style, new_figure, symbol
from dovetail.report.time_histories import COMMAND, DEMAND, MEASURED, REFERENCE, TraceStyle, axis_name

_PANELS: tuple[tuple[str, tuple[tuple[str, TraceStyle], ...]], ...] = (
    (
        "displacement",
        (
            ("excitation", TraceStyle(COLOURS["faint"], "excitation", 1.0)),
            ("displacement", DEMAND),
            ("command", COMMAND),
            ("measured_displacement", MEASURED),
        ),
    ),
    ("force", (("feedback_force", TraceStyle(COLOURS["measured"], "feedback", 1.2)),)),
    ("error", (("tracking_error", TraceStyle(COLOURS["measured"], "demand − measured", 1.2)),)),
)


def plot(run: Recorded, reference: Recorded | None = None, *, axis: int | None = None) -> Figure:
    """Return displacements, force and tracking error of a run against time, with the reference if given.

    With several axes, `axis` selects one (default: the axis that moves most). The result is a matplotlib figure: save
    it with `figure.savefig("run.png")` or display it in a notebook.
    """
    data = recording(run)
    if data.sizes["time"] < 2:
        raise AnalysisError(f"plot: the run has {data.sizes['time']} samples; a plot needs at least 2")
    if "tracking_error" not in data and {"displacement", "measured_displacement"} <= set(data):
        demand = data["displacement"]
        units = {"units": signals.signal("tracking_error").unit}
        units |= {k: v for k, v in demand.attrs.items() if k == "axis_units"}
        error = RecordedSignal(demand.values - data["measured_displacement"].values, demand.dims, units)
        data = replace(data, signals={**data.signals, "tracking_error": error})
    axis = _busiest(data) if axis is None else axis
    panels = _panels(data, axis)
    if not panels:
        raise AnalysisError(
            f"plot: no displacement, force or error recorded; recorded signals: {', '.join(map(str, data))}"
        )
    figure, axes = new_figure(len(panels), 1, width=WIDTH, height=0.7 + 1.8 * len(panels), sharex=True)
    figure.set_facecolor("white")  # used outside a page, which sets the background
    t = data.time.values
    with figure_style():
        for ax, (what, lines) in zip(axes[:, 0], panels, strict=True):
            factor, unit = si_prefix([_one(data[n], axis) for n, _ in lines], _unit(data[lines[0][0]], axis))
            if reference is not None and what in recording(reference):
                expected = recording(reference)
                inside = expected.time.values <= t[-1]
                ax.plot(
                    *decimate(expected.time.values[inside], factor * _one(expected[what], axis)[inside]),
                    color=REFERENCE.colour,
                    lw=0.7 * REFERENCE.width,
                    label=REFERENCE.label,
                )
            for name, line in lines:
                ax.plot(
                    *decimate(t, factor * _one(data[name], axis)),
                    color=line.colour,
                    lw=0.8 * line.width,
                    label=f"{line.label} {symbol(signals.all_signals()[name].symbol)}",
                )
            named = f"{what} {axis_name(data, axis)}" if data[lines[-1][0]].ndim > 1 else what
            ax.set_ylabel(f"{named} [{unit}]" if unit else named)
            ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05), handlelength=1.6, borderaxespad=0.4)
        axes[-1, 0].set_xlabel("time [s]")
        axes[-1, 0].set_xlim(t[0], t[-1])
    return figure


def _panels(data, axis: int) -> list[tuple[str, list[tuple[str, TraceStyle]]]]:
    """Return the panels of the recorded signals.

    An excitation with another unit than the motion has its own panel; a zero excitation has none.
    """
    there = [n for n in data if n != "excitation" or np.any(_one(data[n], axis))]
    panels = [(what, [(n, line) for n, line in lines if n in there]) for what, lines in _PANELS]
    what, first = panels[0]
    moved = _unit(data["displacement"], axis) if "displacement" in there else "m"
    if "excitation" in there and _unit(data["excitation"], axis) != moved:
        apart = [pair for pair in first if pair[0] == "excitation"]
        panels[:1] = [("excitation", apart), (what, [pair for pair in first if pair not in apart])]
    return [(what, lines) for what, lines in panels if lines]


def _one(array, axis: int) -> np.ndarray:
    """Return one axis of a signal, or its last axis if it has fewer."""
    values = array.values
    flat = values.reshape(len(values), -1)
    return values if values.ndim == 1 else flat[:, min(axis, flat.shape[1] - 1)]


def _busiest(data) -> int:
    """Return the index of the axis with the largest motion in SI units (m or rad)."""
    if "displacement" not in data or data["displacement"].ndim == 1:
        return 0
    values = data["displacement"].values
    reach = np.abs(values - values[0]).reshape(len(values), -1).max(axis=0)
    return int(np.argmax(np.nan_to_num(reach)))


def _unit(array, axis: int) -> str:
    each = list(array.attrs.get("axis_units", ()))
    return str(each[axis] if axis < len(each) else array.attrs.get("units", "1"))
